// Declarations of the parts of Unreal Engine that the C++ client uses, so that a compiler checks the client without the
// engine. Nothing here is defined: the tests only check the syntax and the types.
#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>

using int32 = int32_t;
using int64 = long long;
using uint8 = uint8_t;
using uint32 = uint32_t;
using uint64 = unsigned long long;
using TCHAR = char16_t;
#define TEXT_PASTE(x) u##x
#define TEXT(x) TEXT_PASTE(x)

template <class T> class TArray
{
public:
	int32 Num() const;
	T& operator[](int32 Index);
	const T& operator[](int32 Index) const;
	void Add(const T& Item);
	const T& Last() const;
	void RemoveAt(int32 Index); void SetNum(int32 Count); T* GetData();
	int32 Remove(const T& Item);
	void Empty();
	void Sort();
	template <class P> TArray FilterByPredicate(P Predicate) const { return Predicate(*begin()) ? *this : TArray(); }
	template <class P> const T* FindByPredicate(P Predicate) const { return Predicate(*begin()) ? begin() : nullptr; }
	T* begin(); T* end();
	const T* begin() const; const T* end() const;
};

class FString
{
public:
	FString(); FString(const TCHAR* Text); explicit FString(const char* Text);
	const TCHAR* operator*() const;
	FString& operator+=(const FString& Other);
	bool IsEmpty() const; int32 Len() const; void Empty();
	bool StartsWith(const FString& Text) const; bool EndsWith(const FString& Text) const; bool Contains(const FString& Text) const;
	FString Left(int32 Count) const; FString LeftChop(int32 Count) const; FString ToLower() const; FString TrimStartAndEnd() const;
	int32 ParseIntoArray(TArray<FString>& Parts, const TCHAR* Separator, bool bCullEmpty) const;
	static FString FromInt(int32 Value);
	static FString Join(const TArray<FString>& Parts, const TCHAR* Separator);
	template <class... A> static FString Printf(const TCHAR* Format, A... Arguments);
	const TCHAR* begin() const; const TCHAR* end() const;
};
FString operator+(const FString& A, const FString& B);
bool operator==(const FString& A, const FString& B);
bool operator!=(const FString& A, const FString& B);

template <class K, class V> struct TPair { K Key; V Value; };
template <class K, class V> class TMap
{
public:
	int32 Num() const; V& Add(const K& Key, const V& Value); const V* Find(const K& Key) const; V* Find(const K& Key); bool Contains(const K& Key) const; void Empty();
	const TPair<K, V>* begin() const; const TPair<K, V>* end() const;
};
template <class F> class TFunction : public std::function<F> { public: using std::function<F>::function; };

template <class T> class TSharedRef { public: TSharedRef& operator=(const TSharedRef& Other) = default; TSharedRef(const TSharedRef& Other) = default; template <class U> TSharedRef(const TSharedRef<U>& Other); T* operator->() const; T& operator*() const; };
template <class T> bool operator==(const TSharedRef<T>& A, const TSharedRef<T>& B);
template <class T> class TSharedPtr
{
public:
	TSharedPtr(); TSharedPtr(std::nullptr_t);
	template <class U> TSharedPtr(const TSharedRef<U>& Other);
	bool IsValid() const; void Reset(); T* operator->() const; T& operator*() const; TSharedRef<T> ToSharedRef() const;
	bool operator==(const TSharedPtr& Other) const;
};
template <class T> class TWeakPtr { public: TWeakPtr(const TSharedRef<T>& Other); TSharedPtr<T> Pin() const; };
template <class T> class TSharedFromThis { public: TSharedRef<T> AsShared(); };
template <class T, class... A> TSharedRef<T> MakeShared(A&&... Arguments) { static_assert(sizeof(T(static_cast<A&&>(Arguments)...)) > 0, ""); return *static_cast<TSharedRef<T>*>(nullptr); }

struct FMath
{
	static bool IsFinite(double Value);
	template <class T> static T Min(T A, T B); template <class T> static T Max(T A, T B);
	static double RoundToDouble(double Value); static double Pow(double A, double B); static double FRandRange(double A, double B);
};
struct FCString { static int64 Atoi64(const TCHAR* Text); static double Atod(const TCHAR* Text); };
struct FTCHARToUTF8 { FTCHARToUTF8(const TCHAR* Text); int32 Length() const; const char* Get() const; };
struct FName {};
extern const FName NAME_Gzip;
#define DEFINE_LOG_CATEGORY_STATIC(Name, A, B) static int Name
// A block, as in the engine: an `else` directly after it does not compile.
#define UE_LOG(Category, Level, Format, ...) { (void)Category; (void)(__VA_ARGS__); }
