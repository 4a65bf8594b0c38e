#pragma once
#include "CoreMinimal.h"
struct FConfigCacheIni { bool GetString(const TCHAR* Section, const TCHAR* Key, FString& Value, const FString& File); };
extern FConfigCacheIni* GConfig;
extern FString GGameIni;
