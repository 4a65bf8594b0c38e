#pragma once
#include "CoreMinimal.h"
struct FCompression
{
	static int32 CompressMemoryBound(FName Format, int32 Size);
	static bool CompressMemory(FName Format, void* Compressed, int32& CompressedSize, const void* Plain, int32 PlainSize);
};
