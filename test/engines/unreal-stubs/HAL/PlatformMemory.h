#pragma once
#include "CoreMinimal.h"
struct FPlatformMemoryStats { uint64 UsedPhysical; };
struct FPlatformMemory { static FPlatformMemoryStats GetStats(); };
