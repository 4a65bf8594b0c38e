#pragma once
#include "Dom/JsonObject.h"
template <class T> struct TCondensedJsonPrintPolicy {};
template <class T, class P> struct TJsonWriter {};
template <class T, class P> struct TJsonWriterFactory { static TSharedRef<TJsonWriter<T, P>> Create(FString* Text); };
template <class T> struct TJsonReader {};
template <class T> struct TJsonReaderFactory { static TSharedRef<TJsonReader<T>> Create(const FString& Text); };
struct FJsonSerializer
{
	template <class W> static bool Serialize(const TSharedRef<FJsonObject>& Object, const TSharedRef<W>& Writer);
	template <class R> static bool Deserialize(const TSharedRef<R>& Reader, TSharedPtr<FJsonObject>& Object);
};
