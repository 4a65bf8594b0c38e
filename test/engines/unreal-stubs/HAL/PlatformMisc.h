#pragma once
#include "CoreMinimal.h"
struct FPlatformMisc { static FString GetEnvironmentVariable(const TCHAR* Name); };
