#pragma once
#include "CoreMinimal.h"
enum class EJson { None, Null, String, Number, Boolean, Array, Object };
class FJsonValue {};
class FJsonObject
{
public:
	void SetStringField(const FString& Name, const FString& Value); void SetBoolField(const FString& Name, bool Value);
	void SetNumberField(const FString& Name, double Value); void SetObjectField(const FString& Name, const TSharedPtr<FJsonObject>& Value);
	void SetArrayField(const FString& Name, const TArray<TSharedPtr<FJsonValue>>& Value);
	bool TryGetStringField(const FString& Name, FString& Value) const; bool TryGetBoolField(const FString& Name, bool& Value) const;
	bool TryGetNumberField(const FString& Name, double& Value) const;
	bool TryGetArrayField(const FString& Name, const TArray<TSharedPtr<FJsonValue>>*& Value) const;
	bool TryGetObjectField(const FString& Name, const TSharedPtr<FJsonObject>*& Value) const;
	TMap<FString, TSharedPtr<FJsonValue>> Values;
	bool HasField(const FString& Name) const;
	template <EJson Type> bool HasTypedField(const FString& Name) const;
};
class FJsonValueNumber : public FJsonValue { public: FJsonValueNumber(double Number); };
class FJsonValueObject : public FJsonValue { public: FJsonValueObject(TSharedPtr<FJsonObject> Object); };
