// Sets values of all types. The test looks at the functions of the engine that each function here calls.
#include "Playtest.h"

void SetTexts(FPlaytestData& Data)
{
	const char* Plain = "pier";
	Data.Set(TEXT("room"), TEXT("dock")).Set(TEXT("room"), "dock").Set(TEXT("room"), Plain).Set(TEXT("room"), FString());
}

void SetNumbers(FPlaytestData& Data)
{
	Data.Set(TEXT("a"), 1).Set(TEXT("b"), 2u).Set(TEXT("c"), 3LL).Set(TEXT("d"), 4.0f).Set(TEXT("e"), 5.0).Set(TEXT("f"), uint8(6)).Set(TEXT("g"), uint64(7));
}

void SetBools(FPlaytestData& Data)
{
	Data.Set(TEXT("ok"), true);
}
