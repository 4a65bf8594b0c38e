#pragma once
#include "CoreMinimal.h"
struct FTimespan { int64 GetTicks() const; };
struct FDateTime { FDateTime(int32 Year, int32 Month, int32 Day); static FDateTime UtcNow(); static bool ParseHttpDate(const FString& Text, FDateTime& Time); FTimespan operator-(const FDateTime& Other) const; };
