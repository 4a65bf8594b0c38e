#pragma once
#include "CoreMinimal.h"
class IHttpResponse { public: int32 GetResponseCode() const; FString GetContentAsString() const; const TArray<uint8>& GetContent() const; FString GetHeader(const FString& Name) const; };
using FHttpResponsePtr = TSharedPtr<IHttpResponse>;
