#pragma once
#include "CoreMinimal.h"
struct FTickerDelegate { template <class F> static FTickerDelegate CreateLambda(F Function) { bool bContinues = Function(0.0f); (void)bContinues; return {}; } };
struct FTSTicker { static FTSTicker& GetCoreTicker(); int AddTicker(const FTickerDelegate& Delegate, float Delay); };
