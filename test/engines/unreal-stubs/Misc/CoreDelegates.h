#pragma once
struct FSimpleMulticastDelegate { template <class T> void AddSP(T* Object, void (T::*Method)()); };
struct FCoreDelegates { static FSimpleMulticastDelegate ApplicationWillDeactivateDelegate, ApplicationHasReactivatedDelegate, OnPreExit; };
