#pragma once
#include "CoreMinimal.h"
enum { FILEWRITE_None = 0, FILEWRITE_Append = 8 };
class IFileManager
{
public:
	static IFileManager& Get();
	bool MakeDirectory(const TCHAR* Path, bool bTree); bool FileExists(const TCHAR* Path); int64 FileSize(const TCHAR* Path);
	bool Move(const TCHAR* To, const TCHAR* From); bool Delete(const TCHAR* Path, bool bRequireExists, bool bEvenReadOnly, bool bQuiet);
	void FindFiles(TArray<FString>& Names, const TCHAR* Pattern, bool bFiles, bool bFolders);
};
