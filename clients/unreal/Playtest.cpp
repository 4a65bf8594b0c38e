// The client that Playtest.h describes.
#include "Playtest.h"

#include "Containers/Ticker.h"
#include "Dom/JsonValue.h"
#include "GenericPlatform/GenericPlatformHttp.h"
#include "HAL/FileManager.h"
#include "HAL/PlatformMemory.h"
#include "HAL/PlatformMisc.h"
#include "HAL/PlatformProperties.h"
#include "HAL/PlatformTime.h"
#include "HttpModule.h"
#include "Interfaces/IHttpRequest.h"
#include "Interfaces/IHttpResponse.h"
#include "Misc/App.h"
#include "Misc/Compression.h"
#include "Misc/ConfigCacheIni.h"
#include "Misc/CoreDelegates.h"
#include "Misc/DateTime.h"
#include "Misc/FileHelper.h"
#include "Misc/Guid.h"
#include "Misc/Paths.h"
#include "Policies/CondensedJsonPrintPolicy.h"
#include "Serialization/JsonReader.h"
#include "Serialization/JsonSerializer.h"
#include "Serialization/JsonWriter.h"

DEFINE_LOG_CATEGORY_STATIC(LogPlaytest, Log, All);

namespace PlaytestPrivate
{
constexpr int32 MaxEvents = 2000;
// Files are written on the game thread, so batches are small.
constexpr int64 MaxBatchBytes = 48 * 1024;
constexpr int64 MaxEventBytes = 256 * 1024;
constexpr int32 MaxResponseBytes = 1024 * 1024;
/** After as many failures that may be due to the content of an item, the next one is tried. */
constexpr int32 MaxItemFailures = 3;
/** Answers of the service have fewer brackets, and parsers survive as many levels. */
constexpr int32 MaxNesting = 5000;
constexpr int32 MinGzipBytes = 1024;
constexpr double FirstFlushSec = 1;
/** The Date of an answer has whole seconds, and a slow answer says little about the time. */
constexpr int64 MinClockOffsetMs = 2000;
constexpr double TickSec = 0.25;
constexpr float TimeoutSec = 20;
constexpr double MaxBackoffSec = 60;
constexpr double MaxRetryAfterSec = 600;
constexpr int64 MaxQueueAgeMs = 7LL * 24 * 3600 * 1000;
/** The actors of a session whose positions are recorded. */
constexpr int32 MaxActors = 64;
constexpr double MaxLoadMs = 10000000;
/** A load time that is reported directly before the position in the new room belongs to that room. */
constexpr double LoadToRoomSec = 1;
/** The upper bounds of the buckets of frame times, ms. The last bucket has none. */
constexpr double FrameBounds[] = {4, 6, 8, 10, 12, 14, 17, 20, 25, 34, 42, 50, 67, 100, 250};
constexpr int32 FrameBuckets = 16;
/** The decisions about sampled events that a session remembers. */
constexpr int32 MaxSampledNames = 10000;
const TCHAR* const EndLine = TEXT("{\"sessionEnded\":true}");
const TCHAR* const Open = TEXT(".open");
const TCHAR* const NoConsent = TEXT("Nothing was sent, because the player has not agreed.");

/** A player of the device. */
struct FActor
{
	double LastPosition = -1000;
	FString LastRoom;
};

struct FSession
{
	FString Id;
	FPlaytestData Envelope;
	/** The body of its requests without events: the envelope as JSON. */
	FString Header;
	/** Whether it records an event, by name. The first event of a name decides. */
	TMap<FString, bool> Sampled;
	bool bIsClockKnown = false;
	int64 StartedAt = 0;
	double StartedTick = 0;
	int32 NextEvent = 1;
	double LastHeartbeat = 0;
	TMap<FString, FActor> Actors;
	/** The actor whose room the performance belongs to. */
	FString FirstActor;
	FString Room;
	/** The frames since the last performance event. */
	int32 Buckets[FrameBuckets] = {};
	bool bHasFrames = false;
	int64 MemoryMb = 0;
	int64 LoadMs = -1;
	double LoadedAt = -1000;
	double UnfocusedSince = -1;
	double UnfocusedSec = 0;
};

/** One request that waits in the queue: a batch of events, a feedback or a bug report. */
struct FItem
{
	FString Name;
	/** Its session, if it is one of this run. */
	TSharedPtr<FSession> Session;
	int64 Size = 0;
	int64 Events = 0;
	/** The content, until it is on disk. */
	FString Text;
	/** Whether the service refused it. It is sent again after the next Start(). */
	bool bIsRefused = false;
	FPlaytestCallback Callback;
};
using FItemRef = TSharedPtr<FItem>;

/** The batch that is being filled. */
struct FBatch
{
	FString Name;
	TSharedPtr<FSession> Session;
	TArray<FString> Lines;
	int32 Saved = 0;
	int64 Bytes = 0;
};

/** What the service sets for an event. */
struct FEventSetting
{
	bool bIsIgnored = false;
	double SampleRate = 1;
};

struct FShownVariant
{
	FString Name;
	TSharedPtr<FJsonObject> Values;
};

/** What the answer to a request has to be. */
enum class EExpected { Receipt, Confirmation, Tester, Game, Events, Experiments };

enum class EOutcome { Stored, Retry, Refused, Lost };

struct FOutcome
{
	EOutcome Kind = EOutcome::Lost;
	int32 Status = 0;
	double AfterSec = 0;
	bool bMayConcernItem = false;
	FString Message;
	TSharedPtr<FJsonObject> Answer;
};

/** The start of the session and a clock that never changes. */
int64 SessionTime(const FSession& Session, double Now)
{
	return Session.StartedAt + static_cast<int64>(FMath::RoundToDouble((Now - Session.StartedTick) * 1000));
}

using FDone = TFunction<void(const FOutcome& Outcome)>;

/** The 32-bit FNV-1a hash of a text, at least 0 and below 1. */
double Hash(const FString& Text)
{
	uint32 Value = 0x811c9dc5;
	const FTCHARToUTF8 Bytes(*Text);
	for (int32 Index = 0; Index < Bytes.Length(); ++Index) Value = (Value ^ static_cast<uint8>(Bytes.Get()[Index])) * 0x01000193;
	return Value / 4294967296.0;
}

/** An object in a field of an object; null if there is none. */
TSharedPtr<FJsonObject> FindObject(const TSharedPtr<FJsonObject>& Object, const TCHAR* Field)
{
	const TSharedPtr<FJsonObject>* Found = nullptr;
	if (!Object.IsValid() || !Object->TryGetObjectField(FString(Field), Found)) return nullptr;
	return *Found;
}

int64 UnixMs()
{
	return (FDateTime::UtcNow() - FDateTime(1970, 1, 1)).GetTicks() / 10000;
}

FString RandomId()
{
	return FGuid::NewGuid().ToString(EGuidFormats::Digits).ToLower();
}

int64 ByteLength(const FString& Text)
{
	return FTCHARToUTF8(*Text).Length();
}

FString ToJson(const TSharedRef<FJsonObject>& Object)
{
	FString Text;
	const TSharedRef<TJsonWriter<TCHAR, TCondensedJsonPrintPolicy<TCHAR>>> Writer =
		TJsonWriterFactory<TCHAR, TCondensedJsonPrintPolicy<TCHAR>>::Create(&Text);
	FJsonSerializer::Serialize(Object, Writer);
	return Text;
}

FString JoinLines(const TArray<FString>& Lines, int32 First = 0)
{
	FString Text;
	for (int32 Index = First; Index < Lines.Num(); ++Index) Text += Lines[Index] + TEXT("\n");
	return Text;
}

/** Returns the complete lines. A crash can leave the last line unfinished. */
TArray<FString> WholeLines(const FString& Text)
{
	TArray<FString> Lines;
	Text.ParseIntoArray(Lines, TEXT("\n"), false);
	if (Lines.Num() > 0) Lines.RemoveAt(Lines.Num() - 1);
	return Lines.FilterByPredicate([](const FString& Line) { return Line.StartsWith(TEXT("{")) && Line.EndsWith(TEXT("}")); });
}

int32 CountBrackets(const FString& Text)
{
	int32 Count = 0;
	for (const TCHAR Letter : Text)
	{
		if (Letter == '[' || Letter == '{') Count++;
	}
	return Count;
}

bool ConsistsOf(const FString& Text, const TFunction<bool(TCHAR)>& IsAllowed)
{
	for (const TCHAR Letter : Text)
	{
		if (!IsAllowed(Letter)) return false;
	}
	return true;
}

FString ExplainStatus(int32 Status)
{
	if (Status == 401) return TEXT("Check the ingest key.");
	if (Status == 403) return TEXT("Use an ingest key (pt_ik_...).");
	return Status == 404 ? TEXT("Check the game, the form and the address.") : TEXT("");
}

/** The words of the service, shortened because they are for a log. */
FString DescribeErrorBody(const TSharedPtr<FJsonObject>& Answer, const FString& Body)
{
	if (!Answer.IsValid()) return TEXT("");
	FString Words;
	for (const TCHAR* Name : {TEXT("error"), TEXT("message"), TEXT("reason")})
	{
		FString Part;
		if (Answer->TryGetStringField(FString(Name), Part)) Words += (Words.IsEmpty() ? TEXT("") : TEXT("; ")) + Part;
	}
	if (Answer->HasField(FString(TEXT("issues")))) Words = Body;
	return Words.IsEmpty() ? FString() : TEXT(": ") + Words.Left(500);
}

/** Replaces an option by a variable of the environment that is set. */
void ReadVariable(const TCHAR* Name, FString& Option)
{
	const FString Value = FPlatformMisc::GetEnvironmentVariable(Name);
	if (!Value.IsEmpty()) Option = Value;
}

class FClient : public TSharedFromThis<FClient>
{
public:
	explicit FClient(const FPlaytestOptions& InOptions) : Options(InOptions)
	{
		// The environment of the program overrides the options of the game. CI runs builds with it.
		ReadVariable(TEXT("PLAYTEST_BASE_URL"), Options.BaseUrl);
		ReadVariable(TEXT("PLAYTEST_INGEST_KEY"), Options.Key);
		ReadVariable(TEXT("PLAYTEST_BUILD"), Options.GameVersion);
		ReadVariable(TEXT("PLAYTEST_ENVIRONMENT"), Options.Environment);
		ReadVariable(TEXT("PLAYTEST_DEVICE_ID"), Options.DeviceId);
		if (Options.Folder.IsEmpty()) Options.Folder = FPaths::Combine(FPaths::ProjectSavedDir(), TEXT("Playtest"));
		if (Options.Platform.IsEmpty()) Options.Platform = FString(FPlatformProperties::IniPlatformName());
		if (Options.GameVersion.IsEmpty() && GConfig)
			GConfig->GetString(TEXT("/Script/EngineSettings.GeneralProjectSettings"), TEXT("ProjectVersion"), Options.GameVersion, GGameIni);
	}

	/** Does what needs a shared pointer to this client, which the constructor does not have yet. */
	void Begin()
	{
		StoppedReason = FindOptionsFault();
		if (!StoppedReason.IsEmpty()) Report(TEXT("error"), StoppedReason);
		if (Options.HeartbeatSec < 30) Report(TEXT("warn"), TEXT("HeartbeatSec was raised to 30."));
		IFileManager::Get().MakeDirectory(*Options.Folder, true);
		const FString Choice = ReadFile(TEXT("consent")).TrimStartAndEnd();
		bConsent = Choice == TEXT("yes") || (Choice != TEXT("no") && Options.bConsent);
		if (Choice != TEXT("no"))
		{
			SetConfig(ParseObject(ReadFile(TEXT("config"))));
			AdoptQueue();
		}
		const TWeakPtr<FClient> Weak = AsShared();
		FTSTicker::GetCoreTicker().AddTicker(FTickerDelegate::CreateLambda([Weak](float) {
			const TSharedPtr<FClient> Self = Weak.Pin();
			if (Self.IsValid()) Self->OnFrame();
			return Self.IsValid();
		}), 0.0f);
		FCoreDelegates::ApplicationWillDeactivateDelegate.AddSP(this, &FClient::OnFocusLost);
		FCoreDelegates::ApplicationHasReactivatedDelegate.AddSP(this, &FClient::OnFocusGained);
		FCoreDelegates::OnPreExit.AddSP(this, &FClient::OnExit);
	}

	void Start()
	{
		StoppedReason = FindOptionsFault();
		if (!bConsent || !StoppedReason.IsEmpty()) return;
		for (const FItemRef& Item : Items) Item->bIsRefused = false;
		if (Session.IsValid()) End(FPlaytestData());
		Session = MakeShared<FSession>();
		Session->Id = RandomId();
		Session->StartedAt = UnixMs();
		Session->StartedTick = Session->LastHeartbeat = FPlatformTime::Seconds();
		Session->Envelope = Envelope(Session->Id, Session->StartedAt, Options.Environment);
		Session->Header = ToJson(Session->Envelope.Object);
		LastSession = Session;
		FlushAt = Session->StartedTick + FirstFlushSec;
		Track(TEXT("session_start"), Build());
		ReadConfig();
	}

	void WhenReady(const TFunction<void()>& Callback)
	{
		if (Readings > 0) OnReady.Add(Callback);
		else if (Callback) Callback();
	}

	void Track(const FString& Name, const FPlaytestData& Data)
	{
		if (!Session.IsValid())
		{
			WarnOfNoSession(Name);
			return;
		}
		if (!IsRecorded(Name)) return;
		FPlaytestData Event;
		Event.Set(TEXT("id"), FString::FromInt(Session->NextEvent)).Set(TEXT("name"), Name);
		Event.Set(TEXT("timestamp"), SessionTime(*Session, FPlatformTime::Seconds())).Set(TEXT("data"), Data);
		const FString Line = ToJson(Event.Object);
		if (ByteLength(Line) > MaxEventBytes)
		{
			Dropped++;
			Report(TEXT("error"), FString::Printf(TEXT("Event \"%s\" was dropped because it is larger than 256 KiB."), *Name));
			return;
		}
		Session->NextEvent++;
		Append(Line);
	}

	void Position(double X, double Y, const double* Z, const FString& Room, const FString& Player)
	{
		if (!Session.IsValid()) return;
		if (!FMath::IsFinite(X) || !FMath::IsFinite(Y) || (Z && !FMath::IsFinite(*Z)) || Room.IsEmpty())
		{
			Report(TEXT("warn"), FString::Printf(TEXT("A position was ignored: x %f, y %f, room \"%s\"."), X, Y, *Room));
			return;
		}
		FActor* Actor = Session->Actors.Find(Player);
		if (!Actor && Session->Actors.Num() >= MaxActors)
		{
			Report(TEXT("warn"), FString::Printf(TEXT("Positions of player \"%s\" are ignored: a session has at most %d."), *Player, MaxActors));
			return;
		}
		if (!Actor)
		{
			if (Session->Actors.Num() == 0) Session->FirstActor = Player;
			Actor = &Session->Actors.Add(Player, FActor());
		}
		const double Now = FPlatformTime::Seconds();
		if (Room == Actor->LastRoom && Now - Actor->LastPosition < 1 / FMath::Min(Options.PositionsPerSec, 10.0)) return;
		Actor->LastRoom = Room;
		Actor->LastPosition = Now;
		if (Player == Session->FirstActor && Room != Session->Room) EnterRoom(Room, Now);
		FPlaytestData Data;
		Data.Set(TEXT("x"), X).Set(TEXT("y"), Y).Set(TEXT("room"), Room);
		if (Z) Data.Set(TEXT("z"), *Z);
		if (!Player.IsEmpty()) Data.Set(TEXT("player"), Player);
		Track(TEXT("player_pos"), Data);
	}

	void Frame(double Ms)
	{
		bCountsOwnFrames = true;
		AddFrame(Ms);
	}

	void Loaded(double Ms)
	{
		if (!Session.IsValid() || !(Ms >= 0 && Ms <= MaxLoadMs)) return;
		ReportFrames();
		Session->LoadMs = static_cast<int64>(FMath::RoundToDouble(Ms));
		Session->LoadedAt = FPlatformTime::Seconds();
	}

	void Focus(bool bHasFocus)
	{
		if (!Session.IsValid() || bHasFocus == (Session->UnfocusedSince < 0)) return;
		// A pause may begin and end between two frames.
		LastFrame = 0;
		const double Now = FPlatformTime::Seconds();
		if (bHasFocus) Session->UnfocusedSec += Now - Session->UnfocusedSince;
		Session->UnfocusedSince = bHasFocus ? -1 : Now;
		Track(bHasFocus ? TEXT("focus_gained") : TEXT("focus_lost"), FPlaytestData());
	}

	void End(const FPlaytestData& Summary)
	{
		if (!Session.IsValid()) return;
		ReportFrames();
		FPlaytestData Data = Summary;
		AddDurations(Data);
		Track(TEXT("session_summary"), Data);
		Append(EndLine);
		Session.Reset();
		Flush();
	}

	void Flush()
	{
		Seal();
		SendNext();
	}

	void Feedback(const FString& FormId, const TMap<FString, FString>& Answers, FPlaytestCallback Callback)
	{
		TArray<TSharedPtr<FJsonValue>> Responses;
		for (const TPair<FString, FString>& Answer : Answers)
		{
			const FPlaytestData Response = FPlaytestData().Set(TEXT("fieldId"), Answer.Key).Set(TEXT("value"), Answer.Value);
			Responses.Add(MakeShared<FJsonValueObject>(Response.Object));
		}
		FPlaytestData Body;
		Body.Set(TEXT("requestId"), RandomId()).Set(TEXT("formId"), FormId);
		Body.Object->SetArrayField(FString(TEXT("responses")), Responses);
		Submit(TEXT("feedback"), Body, Callback);
	}

	void BugReport(const FString& Title, const FString& Description, const FString& Severity, FPlaytestCallback Callback)
	{
		// Without consent, not even the id of the device may be created.
		if (!bConsent)
		{
			Answer(Callback, false, false, NoConsent);
			return;
		}
		FPlaytestData Context;
		Context.Set(TEXT("environment"), Options.Environment).Set(TEXT("platform"), Options.Platform);
		if (!Options.GameVersion.IsEmpty()) Context.Set(TEXT("buildVersion"), Options.GameVersion);
		FPlaytestData Body;
		Body.Set(TEXT("title"), Title.Left(200)).Set(TEXT("description"), Description.Left(8000)).Set(TEXT("severity"), Severity);
		Body.Set(TEXT("idempotencyKey"), RandomId()).Set(TEXT("context"), Context);
		Body.Set(TEXT("playerId"), Options.TesterHandle.IsEmpty() ? DeviceId() : Options.TesterHandle);
		if (!Options.GameId.IsEmpty()) Body.Set(TEXT("gameId"), Options.GameId);
		Submit(TEXT("bug"), Body, Callback);
	}

	FString Variant(const FString& Experiment)
	{
		if (const FShownVariant* Known = Shown.Find(Experiment)) return Known->Name;
		FString VariantOf;
		FShownVariant Found;
		if (!bConsent || !Config->TryGetStringField(FString(TEXT("deviceId")), VariantOf) || VariantOf != DeviceId()) return FString();
		const TSharedPtr<FJsonObject> Answer = FindObject(Config, TEXT("experiments"));
		const TSharedPtr<FJsonObject> Variants = FindObject(Answer, TEXT("experiments"));
		if (!Variants.IsValid() || !Variants->TryGetStringField(Experiment, Found.Name)) return FString();
		Found.Values = FindObject(FindObject(Answer, TEXT("config")), *Experiment);
		Shown.Add(Experiment, Found);
		if (Session.IsValid())
		{
			// What was recorded before has no part in the variant.
			Seal();
			Session->Envelope.Set(TEXT("experimentTags"), Tags());
			Session->Header = ToJson(Session->Envelope.Object);
		}
		return Found.Name;
	}

	TSharedRef<FJsonObject> VariantValues(const FString& Experiment) const
	{
		const FShownVariant* Known = Shown.Find(Experiment);
		if (Known && Known->Values.IsValid()) return MakeShared<FJsonObject>(*Known->Values);
		return MakeShared<FJsonObject>();
	}

	FString KnownDeviceId() { return bConsent ? DeviceId() : FString(); }

	void SetDeviceId(const FString& Id)
	{
		if (!bConsent || Id.IsEmpty() || Id.Len() > 128 || Id == TEXT(".") || Id == TEXT(".."))
		{
			const TCHAR* Reason = bConsent ? TEXT("it must have 1 to 128 characters") : TEXT("the player has not agreed");
			Report(TEXT("warn"), FString::Printf(TEXT("The device id was not set, because %s."), Reason));
			return;
		}
		Options.DeviceId.Empty();
		Device = Id;
		Shown.Empty();
		WriteFile(TEXT("device"), Id);
	}

	void LinkTester(const FString& Token, const FPlaytestCallback& Callback)
	{
		const FString ClaimToken = Token.TrimStartAndEnd();
		AskTester(TEXT("POST"), ClaimToken, Callback, [this, ClaimToken](const FString& Handle) {
			WriteFile(TEXT("tester"), ClaimToken);
			return FString::Printf(TEXT("This device is linked to %s."), *Handle);
		});
	}

	void GetCurrentTester(const FPlaytestCallback& Callback)
	{
		AskTester(TEXT("GET"), FString(), Callback, [](const FString& Handle) {
			return FString::Printf(TEXT("This device is linked to %s."), Handle.IsEmpty() ? TEXT("no tester") : *Handle);
		});
	}

	void UnlinkTester(const FString& Token, const FPlaytestCallback& Callback)
	{
		const FString ClaimToken = Token.IsEmpty() ? ReadFile(TEXT("tester")).TrimStartAndEnd() : Token;
		if (ClaimToken.IsEmpty())
		{
			Answer(Callback, false, false, TEXT("LinkTester() was not called on this device. Pass the token."));
			return;
		}
		AskTester(TEXT("DELETE"), ClaimToken, Callback, [this](const FString& Handle) {
			RemoveFile(TEXT("tester"));
			return FString::Printf(TEXT("This device is no longer linked to %s."), *Handle);
		});
	}

	void SetConsent(bool bIsGiven)
	{
		bConsent = bIsGiven;
		if (bIsGiven)
		{
			WriteFile(TEXT("consent"), TEXT("yes"));
			return;
		}
		Session.Reset();
		LastSession.Reset();
		Batch.Reset();
		Device.Empty();
		Shown.Empty();
		SetConfig(nullptr);
		Epoch++;
		// A cancelled request removes itself from the list.
		const TArray<FHttpRequestRef> Cancelled = Requests;
		for (const FHttpRequestRef& Sent : Cancelled) Sent->CancelRequest();
		Readings = 0;
		EndReading();
		InFlight.Reset();
		const TArray<FItemRef> Waiting = Items;
		Items.Empty();
		for (const FItemRef& Item : Waiting) Resolve(*Item, false, false, NoConsent);
		for (const FString& Name : ListFiles())
		{
			// The folder may contain other files of the game.
			if (Name == TEXT("device") || Name == TEXT("config") || Name == TEXT("tester") || IsQueueFile(Name)) RemoveFile(Name);
		}
		WriteFile(TEXT("consent"), TEXT("no"));
	}

	void SendTestEvent(FPlaytestCallback Callback)
	{
		FString Fault = FindOptionsFault();
		if (Fault.IsEmpty() && !bConsent) Fault = NoConsent;
		if (!Fault.IsEmpty())
		{
			Answer(Callback, false, false, Fault);
			return;
		}
		const int64 Now = UnixMs();
		FPlaytestData Body = Envelope(TEXT("test-") + RandomId(), Now, TEXT("sdk-test"));
		const FPlaytestData Event = FPlaytestData().Set(TEXT("id"), TEXT("1")).Set(TEXT("name"), TEXT("sdk_test_event")).Set(TEXT("timestamp"), Now);
		TArray<TSharedPtr<FJsonValue>> Events;
		Events.Add(MakeShared<FJsonValueObject>(Event.Object));
		Body.Object->SetArrayField(FString(TEXT("events")), Events);
		Body.Set(TEXT("sessionEnded"), true);
		// Without a version, the test is no session of a build.
		Body.Set(TEXT("sessionMetadata"), FPlaytestData().Set(TEXT("platform"), Options.Platform));
		Request(TEXT("POST"), TEXT("/api/telemetry"), ToJson(Body.Object), EExpected::Receipt, [this, Callback](const FOutcome& Outcome) {
			if (Outcome.Kind != EOutcome::Stored)
			{
				Answer(Callback, false, false, bConsent ? Outcome.Message : FString(NoConsent));
				return;
			}
			FString SessionId;
			if (!Outcome.Answer->TryGetStringField(FString(TEXT("sessionId")), SessionId))
			{
				Answer(Callback, false, false, Options.BaseUrl + TEXT(" refused the test event."));
				return;
			}
			Answer(Callback, true, false, FString::Printf(TEXT("The address and the key work. %s stored the test event in session %s."), *Options.BaseUrl, *SessionId));
		});
	}

	int64 QueuedBytes() const
	{
		int64 Sum = Batch.IsValid() ? Batch->Bytes : 0;
		for (const FItemRef& Item : Items) Sum += Item->Size;
		return Sum;
	}

	int64 Dropped = 0;
	FString StoppedReason;

private:
	FPlaytestOptions Options;
	bool bConsent = true;
	FString Device;
	FString LastReport;
	TSharedPtr<FSession> Session;
	TSharedPtr<FSession> LastSession;
	TSharedPtr<FBatch> Batch;
	TArray<FItemRef> Items;
	FItemRef InFlight;
	/** The requests that wait for an answer. */
	TArray<FHttpRequestRef> Requests;
	TMap<FString, FString> SessionIds;
	/** What the service sets: deviceId (of the variants), eventConfig and experiments, the latter as they were answered. */
	TSharedRef<FJsonObject> Config = MakeShared<FJsonObject>();
	TMap<FString, FEventSetting> EventSettings;
	/** The variants that the game has seen in this run. */
	TMap<FString, FShownVariant> Shown;
	TArray<TFunction<void()>> OnReady;
	FString GameId;
	int32 Readings = 0;
	int32 NextItem = 1;
	int32 Failures = 0;
	/** The name of the item whose content may be why requests fail, and the number of these failures in a row. */
	FString Suspect;
	int32 SuspectFailures = 0;
	int32 Epoch = 0;
	double RetryAt = 0;
	double FlushAt = 0;
	bool bHasWarnedOfNoSession = false;
	bool bHadFocus = true;
	bool bCountsOwnFrames = false;
	double LastFrame = 0;
	double LastTick = 0;

	/** Reports the performance in the room that the first actor leaves. */
	void EnterRoom(const FString& Room, double Now)
	{
		if (Now - Session->LoadedAt >= LoadToRoomSec) ReportFrames();
		Session->LoadedAt = -1000;
		Session->Room = Room;
	}

	void AddFrame(double Ms)
	{
		if (!Session.IsValid() || Session->UnfocusedSince >= 0 || !(Ms >= 0)) return;
		int32 Bucket = 0;
		while (Bucket < FrameBuckets - 1 && Ms > FrameBounds[Bucket]) Bucket++;
		Session->Buckets[Bucket]++;
		Session->bHasFrames = true;
	}

	/** Records the frames since the last report, if there are any. */
	void ReportFrames()
	{
		if (!Session->bHasFrames) return;
		int32 Count = FrameBuckets;
		while (Session->Buckets[Count - 1] == 0) Count--;
		TArray<TSharedPtr<FJsonValue>> Frames;
		for (int32 Bucket = 0; Bucket < Count; ++Bucket) Frames.Add(MakeShared<FJsonValueNumber>(Session->Buckets[Bucket]));
		FPlaytestData Data;
		Data.Object->SetArrayField(FString(TEXT("frames")), Frames);
		if (!Session->Room.IsEmpty()) Data.Set(TEXT("room"), Session->Room);
		if (Session->MemoryMb > 0) Data.Set(TEXT("memoryMb"), Session->MemoryMb);
		if (Session->LoadMs >= 0) Data.Set(TEXT("loadMs"), Session->LoadMs);
		for (int32& Frame : Session->Buckets) Frame = 0;
		Session->bHasFrames = false;
		Session->MemoryMb = 0;
		Session->LoadMs = -1;
		Track(TEXT("performance"), Data);
	}

	/** Whether the event config lets the session record an event. The first event of a name decides for its session. */
	bool IsRecorded(const FString& Name)
	{
		const FEventSetting* Setting = EventSettings.Find(Name);
		if (Setting && Setting->bIsIgnored) return false;
		if (const bool* Known = Session->Sampled.Find(Name)) return *Known;
		const bool bIsSampled = !Setting || Hash(Session->Id + TEXT("/") + Name) < Setting->SampleRate;
		if (Session->Sampled.Num() < MaxSampledNames) Session->Sampled.Add(Name, bIsSampled);
		return bIsSampled;
	}

	void AskTester(const TCHAR* Verb, const FString& ClaimToken, const FPlaytestCallback& Callback, const TFunction<FString(const FString&)>& OnHandle)
	{
		const FString Fault = bConsent ? FindOptionsFault() : FString(NoConsent);
		if (!Fault.IsEmpty())
		{
			Answer(Callback, false, false, Fault);
			return;
		}
		const int32 SentEpoch = Epoch;
		const bool bIsRead = FString(Verb) == FString(TEXT("GET"));
		FPlaytestData Fields;
		Fields.Set(TEXT("deviceId"), DeviceId()).Set(TEXT("claimToken"), ClaimToken);
		if (!Options.GameId.IsEmpty()) Fields.Set(TEXT("gameId"), Options.GameId);
		const FString Path = bIsRead ? TEXT("/api/telemetry/tester?") + ToQuery(Options.GameId) : FString(TEXT("/api/telemetry/claim"));
		Request(Verb, Path, bIsRead ? FString() : ToJson(Fields.Object), EExpected::Tester, [this, Callback, OnHandle, SentEpoch](const FOutcome& Outcome) {
			// The player may have opted out, and agreed again as another person.
			if (SentEpoch != Epoch || Outcome.Kind != EOutcome::Stored)
			{
				Answer(Callback, false, false, SentEpoch == Epoch ? Outcome.Message : FString(NoConsent));
				return;
			}
			FPlaytestResult Result;
			Result.bOk = true;
			FString Handle;
			Outcome.Answer->TryGetStringField(FString(TEXT("handle")), Handle);
			Result.Message = OnHandle(Handle);
			bool bIsUnlinked = false;
			if (!Outcome.Answer->TryGetBoolField(FString(TEXT("unlinked")), bIsUnlinked)) Result.Handle = Handle;
			if (Callback) Callback(Result);
		});
	}

	FString ToQuery(const FString& Game)
	{
		FString Query = TEXT("deviceId=") + FGenericPlatformHttp::UrlEncode(DeviceId());
		if (!Game.IsEmpty()) Query += TEXT("&gameId=") + FGenericPlatformHttp::UrlEncode(Game);
		return Query;
	}

	/** Reads what the service sets for this game and device. What cannot be read is unchanged. */
	void ReadConfig()
	{
		Readings++;
		if (!Options.GameId.IsEmpty()) GameId = Options.GameId;
		if (!GameId.IsEmpty())
		{
			ReadEventConfig();
			return;
		}
		Request(TEXT("GET"), TEXT("/api/telemetry/resolve"), FString(), EExpected::Game, [this](const FOutcome& Outcome) {
			if (Outcome.Kind == EOutcome::Stored) Outcome.Answer->TryGetStringField(FString(TEXT("gameId")), GameId);
			if (GameId.IsEmpty()) ReadExperiments(nullptr);
			else ReadEventConfig();
		});
	}

	void ReadEventConfig()
	{
		const FString Path = TEXT("/api/v1/games/") + FGenericPlatformHttp::UrlEncode(GameId) + TEXT("/event-config");
		Request(TEXT("GET"), Path, FString(), EExpected::Events, [this](const FOutcome& Outcome) {
			ReadExperiments(Outcome.Kind == EOutcome::Stored ? Outcome.Answer : nullptr);
		});
	}

	void ReadExperiments(const TSharedPtr<FJsonObject>& EventConfig)
	{
		const FString Asking = DeviceId();
		FString Path = TEXT("/api/telemetry/experiments?") + ToQuery(GameId);
		if (!Options.GameVersion.IsEmpty()) Path += TEXT("&buildVersion=") + FGenericPlatformHttp::UrlEncode(Options.GameVersion.Left(64));
		const int32 SentEpoch = Epoch;
		Request(TEXT("GET"), Path, FString(), EExpected::Experiments, [this, EventConfig, Asking, SentEpoch](const FOutcome& Outcome) {
			const bool bHasExperiments = Outcome.Kind == EOutcome::Stored;
			if (SentEpoch == Epoch && (bHasExperiments || EventConfig.IsValid()))
			{
				const TSharedRef<FJsonObject> Read = MakeShared<FJsonObject>(*Config);
				if (EventConfig.IsValid()) Read->SetObjectField(FString(TEXT("eventConfig")), EventConfig);
				if (bHasExperiments) Read->SetObjectField(FString(TEXT("experiments")), Outcome.Answer);
				if (bHasExperiments) Read->SetStringField(FString(TEXT("deviceId")), Asking);
				SetConfig(Read);
				WriteFile(TEXT("config"), ToJson(Config));
			}
			EndReading();
		});
	}

	void EndReading()
	{
		Readings = FMath::Max(Readings - 1, 0);
		if (Readings > 0) return;
		const TArray<TFunction<void()>> Callbacks = OnReady;
		OnReady.Empty();
		for (const TFunction<void()>& Callback : Callbacks)
		{
			if (Callback) Callback();
		}
	}

	/** Leaves out what is no answer of the service. */
	void SetConfig(const TSharedPtr<FJsonObject>& Read)
	{
		Config = Read.IsValid() ? Read.ToSharedRef() : MakeShared<FJsonObject>();
		EventSettings.Empty();
		const TSharedPtr<FJsonObject> Events = FindObject(FindObject(Config, TEXT("eventConfig")), TEXT("events"));
		if (!Events.IsValid()) return;
		for (const auto& Entry : Events->Values)
		{
			const FString Name(*Entry.Key);
			const TSharedPtr<FJsonObject> Flags = FindObject(Events, *Name);
			FEventSetting Setting;
			if (!Flags.IsValid()) continue;
			Flags->TryGetBoolField(FString(TEXT("sdkIgnore")), Setting.bIsIgnored);
			Flags->TryGetNumberField(FString(TEXT("sampleRate")), Setting.SampleRate);
			EventSettings.Add(Name, Setting);
		}
	}

	/** The experiments that the session is counted for. */
	FPlaytestData Tags() const
	{
		FPlaytestData Data;
		for (const TPair<FString, FString>& Tag : Options.ExperimentTags) Data.Set(Tag.Key, Tag.Value);
		for (const TPair<FString, FShownVariant>& Entry : Shown) Data.Set(Entry.Key, Entry.Value.Name);
		return Data;
	}

	void WarnOfNoSession(const FString& Name)
	{
		if (bHasWarnedOfNoSession || !bConsent || !StoppedReason.IsEmpty()) return;
		bHasWarnedOfNoSession = true;
		Report(TEXT("warn"), FString::Printf(TEXT("Event \"%s\" was not recorded because no session is running. Call Start() first."), *Name));
	}

	void OnFocusLost() { Focus(false); Flush(); }
	void OnFocusGained() { Focus(true); }
	void OnExit();

	void OnFrame()
	{
		const double Now = FPlatformTime::Seconds();
		if (LastFrame > 0 && !bCountsOwnFrames) AddFrame((Now - LastFrame) * 1000);
		// The first frame after a pause is as long as the pause.
		LastFrame = Session.IsValid() && Session->UnfocusedSince < 0 ? Now : 0;
		if (Now - LastTick < TickSec) return;
		LastTick = Now;
		Tick(Now);
	}

	void Tick(double Now)
	{
		// The delegates of the engine report the focus on phones and consoles only.
		const bool bHasFocus = FApp::HasFocus();
		if (bHasFocus != bHadFocus) Focus(bHasFocus);
		bHadFocus = bHasFocus;
		if (Session.IsValid() && Session->UnfocusedSince < 0 && Now - Session->LastHeartbeat >= FMath::Max(Options.HeartbeatSec, 30.0))
		{
			Session->LastHeartbeat = Now;
			FPlaytestData Data;
			AddDurations(Data);
			Track(TEXT("session_heartbeat"), Data);
			ReportFrames();
		}
		if (Session.IsValid() && Session->bHasFrames)
			Session->MemoryMb = FMath::Max(Session->MemoryMb, static_cast<int64>(FPlatformMemory::GetStats().UsedPhysical >> 20));
		if (Now >= FlushAt) Seal();
		else Save();
		SendNext();
	}

	FPlaytestData Build() const
	{
		FPlaytestData Data;
		Data.Set(TEXT("platform"), Options.Platform);
		if (!Options.GameVersion.IsEmpty()) Data.Set(TEXT("gameVersion"), Options.GameVersion);
		return Data;
	}

	FPlaytestData Envelope(const FString& ClientSessionId, int64 StartedAt, const FString& Environment)
	{
		FPlaytestData Body;
		Body.Set(TEXT("clientSessionId"), ClientSessionId).Set(TEXT("deviceId"), DeviceId()).Set(TEXT("source"), TEXT("unreal-telemetry"));
		Body.Set(TEXT("environment"), Environment).Set(TEXT("startedAt"), StartedAt).Set(TEXT("sessionMetadata"), Build());
		if (!Options.GameId.IsEmpty()) Body.Set(TEXT("gameId"), Options.GameId);
		if (!Options.TesterHandle.IsEmpty()) Body.Set(TEXT("testerHandle"), Options.TesterHandle);
		if (Options.ExperimentTags.Num() + Shown.Num() > 0) Body.Set(TEXT("experimentTags"), Tags());
		return Body;
	}

	FString DeviceId()
	{
		if (!Options.DeviceId.IsEmpty()) return Options.DeviceId;
		if (Device.IsEmpty()) Device = ReadFile(TEXT("device")).TrimStartAndEnd();
		if (Device.IsEmpty())
		{
			Device = TEXT("dev_") + RandomId();
			WriteFile(TEXT("device"), Device);
		}
		return Device;
	}

	void AddDurations(FPlaytestData& Data) const
	{
		const double Now = FPlatformTime::Seconds();
		const double Wall = Now - Session->StartedTick;
		const double Unfocused = Session->UnfocusedSec + (Session->UnfocusedSince < 0 ? 0 : Now - Session->UnfocusedSince);
		Data.Set(TEXT("wallSec"), FMath::RoundToDouble(Wall)).Set(TEXT("activeSec"), FMath::RoundToDouble(Wall - Unfocused));
		if (Dropped > 0) Data.Set(TEXT("droppedEvents"), Dropped);
	}

	void Append(const FString& Line)
	{
		const int64 Size = ByteLength(Line) + 1;
		if (Batch.IsValid())
		{
			const bool bIsFull = Batch->Lines.Num() > MaxEvents || Batch->Bytes + Size > MaxBatchBytes;
			// The line that ends the session is no event, so it fits into every batch.
			if ((bIsFull && Line != EndLine) || !(Batch->Session == Session)) Seal();
		}
		if (!Batch.IsValid())
		{
			Batch = MakeShared<FBatch>();
			Batch->Name = NextName(Session) + TEXT(".events");
			Batch->Session = Session;
			Batch->Lines.Add(Session->Header);
			Batch->Bytes = ByteLength(Session->Header) + 1;
		}
		Batch->Lines.Add(Line);
		Batch->Bytes += Size;
	}

	/** Names sort in the order in which items are sent. */
	FString NextName(const TSharedPtr<FSession>& Owner)
	{
		const int64 Time = Owner.IsValid() ? Owner->StartedAt : UnixMs();
		const FString Id = Owner.IsValid() ? Owner->Id : FString(TEXT("none"));
		return FString::Printf(TEXT("%014lld-%s-%08d"), Time, *Id, NextItem++);
	}

	/** Writes the lines of the current batch that are not on disk yet. */
	void Save()
	{
		if (!Batch.IsValid() || Batch->Saved == Batch->Lines.Num()) return;
		// Another process of the game may have sent the open file already. Event ids make the repetition harmless.
		const bool bAppends = Batch->Saved > 0 && IFileManager::Get().FileExists(*PathTo(Batch->Name + Open));
		const bool bSaved = WriteFile(Batch->Name + Open, JoinLines(Batch->Lines, bAppends ? Batch->Saved : 0), bAppends);
		// After a failure, the file may end anywhere, so that it is written again.
		Batch->Saved = bSaved ? Batch->Lines.Num() : 0;
		EnforceLimit();
	}

	/** Completes the current batch, so that it is sent. */
	void Seal()
	{
		FlushAt = FPlatformTime::Seconds() + FMath::Max(Options.FlushSec, 1.0);
		if (!Batch.IsValid()) return;
		Save();
		// Save may drop older items, but never the current batch.
		const FItemRef Item = MakeShared<FItem>();
		Item->Name = Batch->Name;
		Item->Session = Batch->Session;
		Item->Size = Batch->Bytes;
		Item->Events = Batch->Lines.Num() - 1 - (Batch->Lines.Last() == EndLine ? 1 : 0);
		Item->Text = JoinLines(Batch->Lines);
		const bool bSaved = Batch->Saved == Batch->Lines.Num();
		Batch.Reset();
		Items.Add(Item);
		if (bSaved && IFileManager::Get().Move(*PathTo(Item->Name), *PathTo(Item->Name + Open)))
		{
			Item->Text.Empty();
		}
		else if (WriteFile(Item->Name, Item->Text))
		{
			Item->Text.Empty();
			RemoveFile(Item->Name + Open);
		}
		EnforceLimit();
	}

	/** Drops the oldest items while the queue is larger than its limit. */
	void EnforceLimit()
	{
		int64 Total = QueuedBytes();
		const TArray<FItemRef> Oldest = Items;
		for (const FItemRef& Item : Oldest)
		{
			if (Total <= Options.MaxQueueBytes) return;
			if (Item == InFlight) continue;
			Total -= Item->Size;
			Dropped += Item->Events;
			Report(TEXT("warn"), FString::Printf(TEXT("The queue is full (%lld bytes). The oldest events were dropped."), Options.MaxQueueBytes));
			Resolve(*Item, false, false, TEXT("Dropped because the queue is full."));
			Forget(Item);
		}
	}

	void Forget(const FItemRef& Item)
	{
		Items.Remove(Item);
		RemoveFile(Item->Name);
		// A part of what could not be written may be here.
		if (!Item->Text.IsEmpty()) RemoveFile(Item->Name + Open);
	}

	/** Whether a file has a name of NextName. */
	static bool IsQueueFile(const FString& FileName)
	{
		const FString Name = FileName.EndsWith(Open) ? FileName.LeftChop(5) : FileName;
		const FString Kind = FPaths::GetExtension(Name);
		if (Kind != TEXT("events") && Kind != TEXT("feedback") && Kind != TEXT("bug")) return false;
		TArray<FString> Parts;
		Name.LeftChop(Kind.Len() + 1).ParseIntoArray(Parts, TEXT("-"), false);
		const auto IsDigit = [](TCHAR Letter) { return Letter >= '0' && Letter <= '9'; };
		return Parts.Num() == 3 && Parts[0].Len() == 14 && ConsistsOf(Parts[0], IsDigit) && Parts[2].Len() == 8 && ConsistsOf(Parts[2], IsDigit);
	}

	/** Takes over what earlier runs did not send. */
	void AdoptQueue()
	{
		TArray<FString> Names = ListFiles();
		Names.Sort();
		for (const FString& FileName : Names)
		{
			const FString Name = FileName.EndsWith(Open) ? FileName.LeftChop(5) : FileName;
			if (!IsQueueFile(FileName)) continue;
			if (UnixMs() - FCString::Atoi64(*Name.Left(14)) > MaxQueueAgeMs)
			{
				Report(TEXT("warn"), TEXT("Events that could not be sent for 7 days were deleted."));
				RemoveFile(FileName);
				continue;
			}
			if (Name != FileName) IFileManager::Get().Move(*PathTo(Name), *PathTo(FileName));
			const FItemRef Item = MakeShared<FItem>();
			Item->Name = Name;
			Item->Size = IFileManager::Get().FileSize(*PathTo(Name));
			Item->Events = Item->Size / 120;
			Items.Add(Item);
		}
	}

	void Submit(const FString& Kind, const FPlaytestData& Body, const FPlaytestCallback& Callback)
	{
		const TSharedPtr<FSession> Owner = Session.IsValid() ? Session : LastSession;
		FString Fault = bConsent ? FindOptionsFault() : FString(NoConsent);
		if (Fault.IsEmpty() && Kind == TEXT("feedback") && !Owner.IsValid()) Fault = TEXT("Feedback requires a session. Call Start() first.");
		if (!Fault.IsEmpty())
		{
			Answer(Callback, false, false, Fault);
			return;
		}
		Seal();
		const FItemRef Item = MakeShared<FItem>();
		Item->Name = NextName(Owner) + TEXT(".") + Kind;
		Item->Session = Owner;
		Item->Text = (Owner.IsValid() ? Owner->Header : FString(TEXT("{}"))) + TEXT("\n") + ToJson(Body.Object) + TEXT("\n");
		Item->Size = ByteLength(Item->Text);
		Item->Callback = Callback;
		Items.Add(Item);
		if (WriteFile(Item->Name, Item->Text)) Item->Text.Empty();
		EnforceLimit();
		SendNext();
	}

	/** Sends the first item of the queue. The answer sends the next one. */
	void SendNext()
	{
		if (InFlight.IsValid() || !bConsent) return;
		if (!StoppedReason.IsEmpty() || FPlatformTime::Seconds() < RetryAt)
		{
			AnswerWaiting();
			return;
		}
		const TArray<FItemRef> Waiting = Items.FilterByPredicate([](const FItemRef& Item) { return !Item->bIsRefused; });
		if (Waiting.Num() == 0) return;
		const bool bSkips = Waiting.Num() > 1 && Waiting[0]->Name == Suspect && SuspectFailures >= MaxItemFailures;
		InFlight = Waiting[bSkips ? 1 : 0];
		SendItem(InFlight);
	}

	/** Skips an item until the next Start() if only that one fails, such as for a firewall that reads the content. */
	void JudgeSuspect(const FItemRef& Item, const FOutcome& Outcome)
	{
		if (Outcome.bMayConcernItem)
		{
			SuspectFailures = Item->Name == Suspect ? SuspectFailures + 1 : 1;
			Suspect = Item->Name;
			return;
		}
		const bool bSkips = Outcome.Kind == EOutcome::Stored && Item->Name != Suspect && SuspectFailures >= MaxItemFailures;
		for (const FItemRef& Other : Items)
		{
			if (!bSkips || Other->Name != Suspect) continue;
			Other->bIsRefused = true;
			Report(TEXT("warn"), TEXT("A request that only fails with its content is skipped until the next Start()."));
		}
		Suspect.Empty();
		SuspectFailures = 0;
	}

	void SendItem(const FItemRef& Item, bool bHasAsked = false)
	{
		FString Text = Item->Text;
		if (Text.IsEmpty() && !ReadFile(Item->Name, Text))
		{
			// The file may be locked for a moment.
			FOutcome Failure;
			Failure.Kind = EOutcome::Retry;
			Failure.bMayConcernItem = true;
			Failure.Message = FString::Printf(TEXT("The file %s of the queue cannot be read."), *Item->Name);
			Settle(Item, Failure);
			return;
		}
		TArray<FString> Lines = WholeLines(Text);
		if (Lines.Num() < 2)
		{
			Settle(Item, FOutcome());
			return;
		}
		// Events are sent as they were recorded. Only the header can get the difference of the clocks.
		const FString Header = Item->Session.IsValid() ? Item->Session->Header : Lines[0];
		const int32 SentEpoch = Epoch;
		const FDone Done = [this, Item, SentEpoch](const FOutcome& Outcome) {
			if (SentEpoch == Epoch) Settle(Item, Outcome);
		};
		if (Item->Name.EndsWith(TEXT(".events")))
		{
			Lines.RemoveAt(0);
			const bool bIsEnd = Lines.Remove(FString(EndLine)) > 0;
			PostEvents(Item, Header, Lines, bIsEnd, Done);
			return;
		}
		const FString Path = Item->Name.EndsWith(TEXT(".bug")) ? TEXT("/api/telemetry/bug-report") : TEXT("/api/telemetry/feedback");
		const FString Body = Lines[1].LeftChop(1);
		const FString* Known = SessionIds.Find(SessionOf(*Item));
		if (Known || bHasAsked || Header == TEXT("{}"))
		{
			const FString SessionId = Known ? FString::Printf(TEXT(",\"sessionId\":\"%s\""), **Known) : FString();
			Request(TEXT("POST"), Path, Body + SessionId + TEXT("}"), EExpected::Confirmation, Done);
			return;
		}
		// The service needs its own id of the session. A batch without events finds or creates the session.
		PostEvents(Item, Header, TArray<FString>(), false, [this, Item, Done, SentEpoch](const FOutcome& Outcome) {
			if (Outcome.Kind == EOutcome::Stored && SentEpoch == Epoch) SendItem(Item, true);
			else Done(Outcome);
		});
	}

	static FString SessionOf(const FItem& Item)
	{
		TArray<FString> Parts;
		Item.Name.ParseIntoArray(Parts, TEXT("-"), false);
		return Parts.Num() > 1 ? Parts[1] : FString();
	}

	void PostEvents(const FItemRef& Item, const FString& Header, const TArray<FString>& Events, bool bIsEnd, const FDone& Done)
	{
		const FString End = bIsEnd ? TEXT("],\"sessionEnded\":true}") : TEXT("]}");
		const FString Body = Header.LeftChop(1) + TEXT(",\"events\":[") + FString::Join(Events, TEXT(",")) + End;
		Request(TEXT("POST"), TEXT("/api/telemetry"), Body, EExpected::Receipt, [this, Item, Done](const FOutcome& Outcome) {
			if (Outcome.Kind == EOutcome::Stored)
			{
				FString SessionId;
				// The id becomes part of a body, so it must not contain what ends a string.
				const bool bIsSafe = Outcome.Answer->TryGetStringField(FString(TEXT("sessionId")), SessionId)
					&& ConsistsOf(SessionId, [](TCHAR Letter) { return Letter > 0x20 && Letter < 0x7f && Letter != '"' && Letter != '\\'; });
				if (bIsSafe) SessionIds.Add(SessionOf(*Item), SessionId);
				const TArray<TSharedPtr<FJsonValue>>* Rejected = nullptr;
				if (Outcome.Answer->TryGetArrayField(FString(TEXT("rejected")), Rejected) && Rejected->Num() > 0)
					Report(TEXT("warn"), FString::Printf(TEXT("The service rejected %d events: %s"), Rejected->Num(), *ToJson(Outcome.Answer.ToSharedRef()).Left(500)));
				if (Outcome.Answer->HasField(FString(TEXT("warnings")))) Report(TEXT("warn"), ToJson(Outcome.Answer.ToSharedRef()).Left(500));
			}
			Done(Outcome);
		});
	}

	void Request(const TCHAR* Verb, const FString& Path, const FString& Body, EExpected Expected, FDone Done)
	{
		if (!bConsent) return;
		FString Url = Options.BaseUrl;
		while (Url.EndsWith(TEXT("/"))) Url = Url.LeftChop(1);
		const FHttpRequestRef Sent = FHttpModule::Get().CreateRequest();
		Sent->SetVerb(Verb);
		Sent->SetURL(Url + Path);
		Sent->SetTimeout(TimeoutSec);
		Sent->SetHeader(TEXT("Authorization"), TEXT("Bearer ") + Options.Key);
		const bool bHasBody = !Body.IsEmpty();
		if (bHasBody)
		{
			Sent->SetHeader(TEXT("Content-Type"), TEXT("application/json"));
			Sent->SetHeader(TEXT("X-Playtest-SDK"), TEXT("unreal"));
			Sent->SetHeader(TEXT("X-Playtest-Environment"), Options.Environment);
			SetContent(Sent, Body);
		}
		const double SentAt = FPlatformTime::Seconds();
		const TWeakPtr<FClient> Weak = AsShared();
		Sent->OnProcessRequestComplete().BindLambda([Weak, Done, Expected, bHasBody, SentAt](FHttpRequestPtr Completed, FHttpResponsePtr Response, bool bSucceeded) {
			const TSharedPtr<FClient> Self = Weak.Pin();
			if (!Self.IsValid()) return;
			if (Completed.IsValid()) Self->Requests.Remove(Completed.ToSharedRef());
			const FOutcome Outcome = Self->Classify(Response, bSucceeded, Expected);
			if (Outcome.Kind != EOutcome::Retry && bHasBody) Self->CompareClocks(Response->GetHeader(TEXT("Date")), SentAt, FPlatformTime::Seconds());
			Done(Outcome);
		});
		Requests.Add(Sent);
		// If the request cannot even begin, the delegate is called as for a failed one.
		Sent->ProcessRequest();
	}

	/** Sets the body, which is compressed if it has more than 1 kB. */
	static void SetContent(const FHttpRequestRef& Request, const FString& Body)
	{
		const FTCHARToUTF8 Plain(*Body);
		int32 Size = FCompression::CompressMemoryBound(NAME_Gzip, Plain.Length());
		TArray<uint8> Compressed;
		Compressed.SetNum(Size);
		if (Plain.Length() < MinGzipBytes || !FCompression::CompressMemory(NAME_Gzip, Compressed.GetData(), Size, Plain.Get(), Plain.Length()))
		{
			Request->SetContentAsString(Body);
			return;
		}
		Compressed.SetNum(Size);
		Request->SetHeader(TEXT("Content-Encoding"), TEXT("gzip"));
		Request->SetContent(Compressed);
	}

	/** Adds the difference to the clock of the service to the requests of sessions that do not have it yet. */
	void CompareClocks(const FString& Date, double SentAt, double ReceivedAt)
	{
		FDateTime ServerTime(1970, 1, 1);
		if (!FDateTime::ParseHttpDate(Date, ServerTime) || (ReceivedAt - SentAt) * 1000 > MinClockOffsetMs) return;
		const int64 ServerMs = (ServerTime - FDateTime(1970, 1, 1)).GetTicks() / 10000 + 500;
		TArray<TSharedPtr<FSession>> Sessions;
		Sessions.Add(Session);
		Sessions.Add(LastSession);
		for (const FItemRef& Item : Items) Sessions.Add(Item->Session);
		for (const TSharedPtr<FSession>& Known : Sessions)
		{
			if (!Known.IsValid() || Known->bIsClockKnown) continue;
			Known->bIsClockKnown = true;
			const int64 Offset = ServerMs - SessionTime(*Known, (SentAt + ReceivedAt) / 2);
			if (Offset < MinClockOffsetMs && Offset > -MinClockOffsetMs) continue;
			Known->Envelope.Set(TEXT("clockOffsetMs"), Offset);
			Known->Header = ToJson(Known->Envelope.Object);
		}
	}

	static bool IsExpected(const TSharedPtr<FJsonObject>& Answer, int32 Status, EExpected Expected)
	{
		FString Text;
		bool bIsLinked = true;
		switch (Expected)
		{
		case EExpected::Receipt: return IsReceipt(*Answer);
		case EExpected::Confirmation: return IsConfirmation(*Answer);
		case EExpected::Game: return Status == 200 && Answer->TryGetStringField(FString(TEXT("gameId")), Text);
		case EExpected::Events: return Status == 200 && FindObject(Answer, TEXT("events")).IsValid();
		case EExpected::Experiments: return Status == 200 && FindObject(Answer, TEXT("experiments")).IsValid();
		default:
			return Answer->TryGetStringField(FString(TEXT("handle")), Text) || (Answer->TryGetBoolField(FString(TEXT("linked")), bIsLinked) && !bIsLinked);
		}
	}

	static bool IsReceipt(const FJsonObject& Answer)
	{
		FString SessionId;
		double Count = 0;
		// Without a session, the service refused all events of the request.
		const bool bHasSession = Answer.HasTypedField<EJson::Null>(FString(TEXT("sessionId"))) || Answer.TryGetStringField(FString(TEXT("sessionId")), SessionId);
		return bHasSession && Answer.TryGetNumberField(FString(TEXT("accepted")), Count)
			&& Answer.TryGetNumberField(FString(TEXT("duplicates")), Count);
	}

	static bool IsConfirmation(const FJsonObject& Answer)
	{
		bool bOk = false;
		return Answer.TryGetBoolField(FString(TEXT("ok")), bOk) && bOk
			&& (Answer.HasField(FString(TEXT("responseIds"))) || Answer.HasField(FString(TEXT("bugReportId"))));
	}

	/** Reads an answer of the service. Null for any other text. */
	static TSharedPtr<FJsonObject> ParseObject(const FString& Text)
	{
		TSharedPtr<FJsonObject> Object;
		if (CountBrackets(Text) <= MaxNesting) FJsonSerializer::Deserialize(TJsonReaderFactory<TCHAR>::Create(Text), Object);
		return Object;
	}

	FOutcome Classify(const FHttpResponsePtr& Response, bool bSucceeded, EExpected Expected) const
	{
		FOutcome Outcome;
		Outcome.Kind = EOutcome::Retry;
		if (!bSucceeded || !Response.IsValid())
		{
			Outcome.Message = FString::Printf(TEXT("No connection to %s. Is the address right and the service running?"), *Options.BaseUrl);
			return Outcome;
		}
		Outcome.Status = Response->GetResponseCode();
		const FString Body = Response->GetContent().Num() <= MaxResponseBytes ? Response->GetContentAsString() : FString();
		Outcome.Answer = ParseObject(Body);
		const int32 Status = Outcome.Status;
		const bool bIsSuccess = Status >= 200 && Status < 300;
		if (bIsSuccess && Outcome.Answer.IsValid() && IsExpected(Outcome.Answer, Status, Expected))
		{
			Outcome.Kind = EOutcome::Stored;
			return Outcome;
		}
		const FString Words = FString::FromInt(Status) + DescribeErrorBody(Outcome.Answer, Body);
		if (Status == 408 || Status == 425 || Status == 429 || Status >= 500)
		{
			Outcome.AfterSec = FMath::Max(0.0, FCString::Atod(*Response->GetHeader(TEXT("Retry-After"))));
			Outcome.Message = FString::Printf(TEXT("%s cannot take events now (%s)."), *Options.BaseUrl, *Words);
			return Outcome;
		}
		// The login page of a network and a proxy during a deployment answer with any status.
		FString Error;
		if (bIsSuccess || !Outcome.Answer.IsValid() || !Outcome.Answer->TryGetStringField(FString(TEXT("error")), Error))
		{
			Outcome.bMayConcernItem = Status >= 400;
			const TCHAR* Advice = Status >= 300 && Status < 400 ? TEXT("The address redirects. Use the final address.") : TEXT("Check the address.");
			Outcome.Message = FString::Printf(TEXT("%s answered with status %d, but not as a playtest service. %s"), *Options.BaseUrl, Status, Advice);
			return Outcome;
		}
		Outcome.Kind = EOutcome::Refused;
		Outcome.Message = FString::Printf(TEXT("%s refused the request (%s). %s"), *Options.BaseUrl, *Words, *ExplainStatus(Status));
		return Outcome;
	}

	/** Removes, keeps or retries an item after its request. */
	void Settle(const FItemRef& Item, const FOutcome& Outcome)
	{
		InFlight.Reset();
		JudgeSuspect(Item, Outcome);
		if (Outcome.Kind == EOutcome::Retry)
		{
			Failures++;
			const double Backoff = FMath::Min(FMath::Pow(2.0, static_cast<double>(FMath::Min(Failures - 1, 10))), MaxBackoffSec) * FMath::FRandRange(0.75, 1.25);
			RetryAt = FPlatformTime::Seconds() + FMath::Max(FMath::Min(Outcome.AfterSec, MaxRetryAfterSec), Backoff);
			Report(TEXT("warn"), Outcome.Message + TEXT(" The client will try again."));
			AnswerWaiting();
			return;
		}
		if (Failures > 0) Report(TEXT("info"), TEXT("The service answers again."));
		Failures = 0;
		if (Outcome.Kind == EOutcome::Refused)
		{
			Refuse(Item, Outcome);
		}
		else
		{
			const bool bIsStored = Outcome.Kind == EOutcome::Stored;
			Resolve(*Item, bIsStored, false, bIsStored ? TEXT("Stored.") : TEXT("The queued file was lost."));
			Forget(Item);
		}
		// The next item is sent by the next tick, so that a long queue does not nest calls.
	}

	void Refuse(const FItemRef& Item, const FOutcome& Outcome)
	{
		Report(TEXT("error"), Outcome.Message);
		Resolve(*Item, false, false, Outcome.Message);
		const bool bIsEvents = Item->Name.EndsWith(TEXT(".events"));
		const int32 Status = Outcome.Status;
		const bool bConcernsItem = Status == 400 || Status == 409 || Status == 413 || Status == 415 || Status == 422;
		if (bIsEvents && bConcernsItem)
		{
			Item->bIsRefused = true;
		}
		else if (bConcernsItem || (Status == 404 && !bIsEvents))
		{
			Forget(Item);
		}
		else
		{
			// A wrong key or game affects every request. Events are still recorded, and the next Start() tries again.
			StoppedReason = Outcome.Message;
			AnswerWaiting();
		}
	}

	void Resolve(FItem& Item, bool bOk, bool bQueued, const FString& Message)
	{
		const FPlaytestCallback Callback = Item.Callback;
		Item.Callback = nullptr;
		Answer(Callback, bOk, bQueued, Message);
	}

	/** Reports to callers that their submission waits in the queue. */
	void AnswerWaiting()
	{
		const TArray<FItemRef> Waiting = Items;
		for (const FItemRef& Item : Waiting)
		{
			if (Item->Callback) Resolve(*Item, false, true, StoppedReason.IsEmpty() ? TEXT("Queued. ") + LastReport : StoppedReason);
		}
	}

	static void Answer(const FPlaytestCallback& Callback, bool bOk, bool bQueued, const FString& Message)
	{
		if (!Callback) return;
		FPlaytestResult Result;
		Result.bOk = bOk;
		Result.bQueued = bQueued;
		Result.Message = Message;
		Callback(Result);
	}

	FString FindOptionsFault() const
	{
		const bool bIsUrl = Options.BaseUrl.StartsWith(TEXT("http://")) || Options.BaseUrl.StartsWith(TEXT("https://"));
		if (!bIsUrl || Options.BaseUrl.EndsWith(TEXT("//")) || Options.BaseUrl.Contains(TEXT(" ")))
			return FString::Printf(TEXT("The address \"%s\" is not a URL. It must begin with http:// or https://."), *Options.BaseUrl);
		if (Options.Key.IsEmpty() || !ConsistsOf(Options.Key, [](TCHAR Letter) { return Letter > 0x20 && Letter < 0x7f; }))
			return TEXT("The key is empty or contains characters that no key has.");
		const bool bIsSlug = ConsistsOf(Options.Environment, [](TCHAR Letter) {
			return (Letter >= 'a' && Letter <= 'z') || (Letter >= '0' && Letter <= '9') || Letter == '_' || Letter == '-';
		});
		if (!bIsSlug || Options.Environment.IsEmpty() || Options.Environment.Len() > 64 || Options.Environment == TEXT("all"))
			return FString::Printf(TEXT("The environment \"%s\" is not valid. Use up to 64 of a-z, 0-9, _ and -, but not \"all\"."), *Options.Environment);
		return TEXT("");
	}

	FString PathTo(const FString& Name) const { return FPaths::Combine(Options.Folder, Name); }

	TArray<FString> ListFiles() const
	{
		TArray<FString> Names;
		IFileManager::Get().FindFiles(Names, *PathTo(TEXT("*")), true, false);
		return Names;
	}

	FString ReadFile(const FString& Name) const
	{
		FString Text;
		ReadFile(Name, Text);
		return Text;
	}

	/** Returns false if the file exists, but cannot be read. */
	bool ReadFile(const FString& Name, FString& Text) const
	{
		return !IFileManager::Get().FileExists(*PathTo(Name)) || FFileHelper::LoadFileToString(Text, *PathTo(Name));
	}

	bool WriteFile(const FString& Name, const FString& Text, bool bAppends = false)
	{
		const uint32 Flags = bAppends ? FILEWRITE_Append : FILEWRITE_None;
		const bool bWritten = FFileHelper::SaveStringToFile(Text, *PathTo(Name), FFileHelper::EEncodingOptions::ForceUTF8WithoutBOM, &IFileManager::Get(), Flags);
		if (!bWritten) Report(TEXT("warn"), FString::Printf(TEXT("The queue cannot be written to %s, so it is kept in memory."), *Options.Folder));
		return bWritten;
	}

	void RemoveFile(const FString& Name) const { IFileManager::Get().Delete(*PathTo(Name), false, false, true); }

	/** Reports a message to the developer, but not the same one twice in a row. */
	void Report(const FString& Level, const FString& Message)
	{
		if (Message == LastReport) return;
		LastReport = Message;
		if (Options.Log)
		{
			Options.Log(Level, Message);
		}
		else if (Level == TEXT("info"))
		{
			UE_LOG(LogPlaytest, Log, TEXT("%s"), *Message);
		}
		else
		{
			UE_LOG(LogPlaytest, Warning, TEXT("%s"), *Message);
		}
	}
};

TSharedPtr<FClient> Client;

void FClient::OnExit()
{
	End(FPlaytestData());
	Seal();
	// Static variables are destroyed after the HTTP module, so none may still contain a request then. The delegate that
	// calls this function keeps the client until it returns.
	Client.Reset();
}
} // namespace PlaytestPrivate

using PlaytestPrivate::Client;

void FPlaytest::Init(const FPlaytestOptions& Options)
{
	if (Client.IsValid()) return;
	Client = MakeShared<PlaytestPrivate::FClient>(Options);
	Client->Begin();
}
void FPlaytest::Start() { if (Client.IsValid()) Client->Start(); }
void FPlaytest::Track(const FString& Name, const FPlaytestData& Data) { if (Client.IsValid()) Client->Track(Name, Data); }
void FPlaytest::Position(double X, double Y, const FString& Room, const FString& Player) { if (Client.IsValid()) Client->Position(X, Y, nullptr, Room, Player); }
void FPlaytest::Position(double X, double Y, double Z, const FString& Room, const FString& Player) { if (Client.IsValid()) Client->Position(X, Y, &Z, Room, Player); }
void FPlaytest::Frame(double Ms) { if (Client.IsValid()) Client->Frame(Ms); }
void FPlaytest::Loaded(double Ms) { if (Client.IsValid()) Client->Loaded(Ms); }
void FPlaytest::Focus(bool bHasFocus) { if (Client.IsValid()) Client->Focus(bHasFocus); }
void FPlaytest::End(const FPlaytestData& Summary) { if (Client.IsValid()) Client->End(Summary); }
void FPlaytest::Flush() { if (Client.IsValid()) Client->Flush(); }
void FPlaytest::Feedback(const FString& FormId, const TMap<FString, FString>& Answers, FPlaytestCallback Callback) { if (Client.IsValid()) Client->Feedback(FormId, Answers, Callback); }
void FPlaytest::BugReport(const FString& Title, const FString& Description, const FString& Severity, FPlaytestCallback Callback) { if (Client.IsValid()) Client->BugReport(Title, Description, Severity, Callback); }
void FPlaytest::SetConsent(bool bIsGiven) { if (Client.IsValid()) Client->SetConsent(bIsGiven); }
void FPlaytest::WhenReady(TFunction<void()> Callback)
{
	if (Client.IsValid()) Client->WhenReady(Callback);
	else if (Callback) Callback();
}
FString FPlaytest::Variant(const FString& Experiment) { return Client.IsValid() ? Client->Variant(Experiment) : FString(); }
TSharedRef<FJsonObject> FPlaytest::VariantValues(const FString& Experiment) { return Client.IsValid() ? Client->VariantValues(Experiment) : MakeShared<FJsonObject>(); }
FString FPlaytest::DeviceId() { return Client.IsValid() ? Client->KnownDeviceId() : FString(); }
void FPlaytest::SetDeviceId(const FString& Id) { if (Client.IsValid()) Client->SetDeviceId(Id); }
void FPlaytest::LinkTester(const FString& Token, FPlaytestCallback Callback) { if (Client.IsValid()) Client->LinkTester(Token, Callback); }
void FPlaytest::GetCurrentTester(FPlaytestCallback Callback) { if (Client.IsValid()) Client->GetCurrentTester(Callback); }
void FPlaytest::UnlinkTester(const FString& Token, FPlaytestCallback Callback) { if (Client.IsValid()) Client->UnlinkTester(Token, Callback); }
void FPlaytest::SendTestEvent(FPlaytestCallback Callback) { if (Client.IsValid()) Client->SendTestEvent(Callback); }
int64 FPlaytest::QueuedBytes() { return Client.IsValid() ? Client->QueuedBytes() : 0; }
int64 FPlaytest::DroppedEvents() { return Client.IsValid() ? Client->Dropped : 0; }
FString FPlaytest::Stopped() { return Client.IsValid() ? Client->StoppedReason : FString(); }
