#pragma once
struct FApp { static bool HasFocus(); };
