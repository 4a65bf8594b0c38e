#pragma once
#include "Serialization/JsonReader.h"
