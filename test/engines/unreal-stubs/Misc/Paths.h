#pragma once
#include "CoreMinimal.h"
struct FPaths { static FString ProjectSavedDir(); static FString Combine(const FString& A, const FString& B); static FString GetExtension(const FString& Path); };
