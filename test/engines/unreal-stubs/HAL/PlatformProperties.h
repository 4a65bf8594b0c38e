#pragma once
struct FPlatformProperties { static const char* IniPlatformName(); };
