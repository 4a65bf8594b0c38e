#pragma once
#include "HAL/FileManager.h"
struct FFileHelper
{
	enum class EEncodingOptions { ForceUTF8WithoutBOM };
	static bool LoadFileToString(FString& Text, const TCHAR* Path);
	static bool SaveStringToFile(const FString& Text, const TCHAR* Path, EEncodingOptions Encoding, IFileManager* Manager, uint32 Flags);
};
