#pragma once
#include "CoreMinimal.h"
struct FGenericPlatformHttp { static FString UrlEncode(const FString& Text); };
