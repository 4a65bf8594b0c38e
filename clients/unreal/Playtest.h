// Sends playtest telemetry from Unreal Engine 5. Copy Playtest.h and Playtest.cpp into the Source folder of your module, and
// add "HTTP" and "Json" to the dependencies in its Build.cs. There are no other dependencies.
//
//   FPlaytestOptions Options;
//   Options.BaseUrl = TEXT("http://127.0.0.1:4400");
//   Options.Key = TEXT("pt_ik_...");
//   FPlaytest::Init(Options);
//   FPlaytest::Start();
//   FPlaytest::Track(TEXT("player_death"), FPlaytestData().Set(TEXT("room"), TEXT("dock")));
//   FPlaytest::Position(Location.X, Location.Y, TEXT("dock"));  // in Tick(); 2 positions per second are recorded
//   FPlaytest::End();
//
// Call all functions on the game thread. Telemetry never disturbs the game: requests are asynchronous, files are small, and
// memory and disk use are bounded. Events are queued in Saved/Playtest, so that they survive a crash and time without a
// connection. docs/guide/send-telemetry.md describes what all clients have in common, and clients/README.md specifies it.
//
// With X to the right, Y grows downwards on a map seen from above, as heatmaps draw it.
// Z grows upwards, and the plane xz of positions with three coordinates is drawn so. If you send Z as y, use --flip-y.
#pragma once

#include <type_traits>

#include "CoreMinimal.h"
#include "Dom/JsonObject.h"

struct FPlaytestOptions
{
	/** Address of the service, such as http://127.0.0.1:4400. */
	FString BaseUrl;
	/** Ingest key (pt_ik_...). Never put a management key into a game. */
	FString Key;
	/** Id or slug of the game. Required unless the key is limited to one game. */
	FString GameId;
	/** Default: the project version. */
	FString GameVersion;
	/** Default: the platform of the player. */
	FString Platform;
	/** Environment slug. */
	FString Environment = TEXT("production");
	/** Anonymous id of the device. Default: a random id, which is stored. */
	FString DeviceId;
	FString TesterHandle;
	TMap<FString, FString> ExperimentTags;
	/** Seconds between heartbeats, at least 30. */
	double HeartbeatSec = 60;
	/** Recorded positions per second, at most 10. */
	double PositionsPerSec = 2;
	/** Seconds between requests, at least 1. */
	double FlushSec = 10;
	/** Limit of the queue. Above it, the oldest batches are dropped. */
	int64 MaxQueueBytes = 16 * 1024 * 1024;
	/** What applies until the player chooses. False asks first: nothing is sent before SetConsent(true). */
	bool bConsent = true;
	/** Folder of the queue. Default: Playtest in the Saved folder. */
	FString Folder;
	/** Receives messages for developers: info, warn or error, and the text. Default: the log. */
	TFunction<void(const FString& Level, const FString& Message)> Log;
};

/** What happened to a feedback, a bug report or a test event, in words for developers. */
struct FPlaytestResult
{
	bool bOk = false;
	/** True if there was no connection, so that it is sent later. */
	bool bQueued = false;
	FString Message;
	/** The tester that this device is linked to; empty if it is not linked, or if the call does not concern testers. */
	FString Handle;
};

using FPlaytestCallback = TFunction<void(const FPlaytestResult& Result)>;

/** The data of an event: FPlaytestData().Set(TEXT("room"), TEXT("dock")).Set(TEXT("lives"), 2). */
class FPlaytestData
{
public:
	FPlaytestData() : Object(MakeShared<FJsonObject>()) {}
	FPlaytestData& Set(const FString& Name, const FString& Value) { Object->SetStringField(Name, Value); return *this; }
	FPlaytestData& Set(const FString& Name, const TCHAR* Value) { return Set(Name, FString(Value)); }
	FPlaytestData& Set(const FString& Name, const char* Value) { return Set(Name, FString(Value)); }
	/** Numbers and bools. A template accepts exactly these types: a plain bool would also accept every pointer. */
	template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0> FPlaytestData& Set(const FString& Name, T Value)
	{
		if constexpr (std::is_same<T, bool>::value) Object->SetBoolField(Name, Value);
		// JSON has no infinity and no NaN.
		else if (FMath::IsFinite(static_cast<double>(Value))) Object->SetNumberField(Name, static_cast<double>(Value));
		return *this;
	}
	FPlaytestData& Set(const FString& Name, const FPlaytestData& Value)
	{
		// With a copy, no data can contain itself.
		Object->SetObjectField(Name, MakeShared<FJsonObject>(*Value.Object));
		return *this;
	}

	TSharedRef<FJsonObject> Object;
};

class FPlaytest
{
public:
	/** Prepares the client. Call it once, before all other functions. */
	static void Init(const FPlaytestOptions& Options);
	/** Starts a session. A running session ends first. If the client stopped, it tries again. */
	static void Start();
	/** Records an event. */
	static void Track(const FString& Name, const FPlaytestData& Data = FPlaytestData());
	/**
	 * Records where the player is. Call it in every frame: only PositionsPerSec are recorded for each player, and changes of the
	 * room. Name the player if several play on this device.
	 */
	static void Position(double X, double Y, const FString& Room, const FString& Player = FString());
	/** Records where the player is in a 3D game. */
	static void Position(double X, double Y, double Z, const FString& Room, const FString& Player = FString());
	/** Counts a frame of a game that has a loop of its own. From then on, the client no longer measures the frames of the engine. */
	static void Frame(double Ms);
	/** Reports how long it took to load the room that the player is in, or enters now, in ms. */
	static void Loaded(double Ms);
	/** Reports that the game lost or gained the focus. Without it, time is not active. The client calls it on its own. */
	static void Focus(bool bHasFocus);
	/** Ends the session. What cannot be sent now is sent after the next start. */
	static void End(const FPlaytestData& Summary = FPlaytestData());
	/** Sends what is queued, without waiting for the next interval. */
	static void Flush();
	/** Sends a player's answers to a form, by field id. */
	static void Feedback(const FString& FormId, const TMap<FString, FString>& Answers, FPlaytestCallback Callback = nullptr);
	/** Sends a bug report of the player. The severity is low, medium, high or critical. */
	static void BugReport(const FString& Title, const FString& Description, const FString& Severity = TEXT("medium"), FPlaytestCallback Callback = nullptr);
	/** Records the choice of the player. False ends the session, sends nothing more and deletes the queue. */
	static void SetConsent(bool bIsGiven);
	/** Runs the callback when the event config and the variants of this session were read, or could not be read. */
	static void WhenReady(TFunction<void()> Callback);
	/**
	 * The variant of this device in an experiment, by the id of the experiment; empty if it takes part in none, or if the variants
	 * are not known yet (WhenReady). The session is counted for the variant, so call it where the game shows the difference.
	 */
	static FString Variant(const FString& Experiment);
	/** The values of the variant that Variant returned. */
	static TSharedRef<FJsonObject> VariantValues(const FString& Experiment);
	/** The anonymous id of this device; empty without consent. */
	static FString DeviceId();
	/** Replaces the id of this device, and stores it. The running session keeps its id. */
	static void SetDeviceId(const FString& Id);
	/** Links this device to the tester of a claim token (pt_tt_...). */
	static void LinkTester(const FString& Token, FPlaytestCallback Callback = nullptr);
	/** Reports the tester that this device is linked to. */
	static void GetCurrentTester(FPlaytestCallback Callback);
	/** Unlinks this device from its tester. The token is that of LinkTester by default. */
	static void UnlinkTester(const FString& Token = FString(), FPlaytestCallback Callback = nullptr);
	/** Sends one event to the environment sdk-test, and reports whether the address and the key work. */
	static void SendTestEvent(FPlaytestCallback Callback);
	/** Bytes that wait to be sent. */
	static int64 QueuedBytes();
	/** Events that were dropped because the queue was full, or because they were too large. */
	static int64 DroppedEvents();
	/** Why nothing is sent until the next Start(), in the words of the service; empty if the client sends. */
	static FString Stopped();
};
