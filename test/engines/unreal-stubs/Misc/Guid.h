#pragma once
#include "CoreMinimal.h"
enum class EGuidFormats { Digits };
struct FGuid { static FGuid NewGuid(); FString ToString(EGuidFormats Format) const; };
