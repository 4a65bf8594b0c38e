// A client in C# that sends the same requests as an SDK for a game engine. It needs no libraries.
// Usage: SdkShapes.exe <url> <ingest key>. Prints one line for each request: its name, the status, and the response.
using System;
using System.IO;
using System.Net;
using System.Text;
using System.Text.RegularExpressions;

static class SdkShapes
{
    static string url;
    static string key;

    static int Main(string[] args)
    {
        url = args[0];
        key = args[1];
        ServicePointManager.Expect100Continue = false;

        string game = Field(Send("resolve", "GET", "/api/telemetry/resolve", null), "gameId");
        Send("config", "GET", "/api/v1/games/maze/event-config", null);
        Send("experiments", "GET", "/api/telemetry/experiments?deviceId=mono", null);
        Send("tester", "GET", "/api/telemetry/tester?gameId=" + Uri.EscapeDataString(game) + "&deviceId=mono", null);

        string start = Event("m-1", "session_start", 1772366400000,
            "{\"platform\":\"LinuxPlayer\",\"gameVersion\":\"0.9.0\"}");
        string create = "{\"events\":[" + start + "],\"deviceId\":\"mono\",\"sessionId\":null,"
            + "\"sessionMetadata\":{\"gameVersion\":null,\"platform\":\"\"},\"vendorId\":null,\"consentLevel\":\"basic\"}";
        string session = Field(Send("create", "POST", "/api/telemetry", create), "sessionId");
        // The response was lost, so the same request is sent again.
        Send("repeat", "POST", "/api/telemetry", create);

        string position = Event("m-2", "player_pos", 1772366401000, "{\"x\":1.5,\"y\":-2,\"room\":\"dock\"}");
        Send("append", "POST", "/api/telemetry",
            "{\"events\":[" + position + "],\"sessionId\":\"" + session + "\",\"sessionEnded\":true}");
        Send("opt-out", "POST", "/api/telemetry",
            "{\"events\":[" + start + "],\"deviceId\":\"hidden\",\"consentLevel\":\"opt-out\"}");

        string report = "{\"title\":\"The door does not open\",\"description\":\"I have both keys.\","
            + "\"severity\":\"high\",\"idempotencyKey\":\"mono-bug\",\"sessionId\":\"" + session + "\"}";
        Send("bug report", "POST", "/api/telemetry/bug-report", report);
        Send("bug report again", "POST", "/api/telemetry/bug-report", report);
        Send("unknown session", "POST", "/api/telemetry", "{\"events\":[],\"sessionId\":\"sess_none\"}");
        return 0;
    }

    static string Event(string id, string name, long timestamp, string data)
    {
        return "{\"id\":\"" + id + "\",\"name\":\"" + name + "\",\"timestamp\":" + timestamp
            + ",\"data\":" + data + ",\"tr\":0}";
    }

    /// <summary>Sends a request, prints its response, and returns the body.</summary>
    static string Send(string name, string method, string path, string body)
    {
        var request = (HttpWebRequest)WebRequest.Create(url + path);
        request.Method = method;
        request.Accept = "application/json";
        request.Headers["Authorization"] = "Bearer " + key;
        request.Headers["X-Studio-Environment"] = "dev";
        request.Headers["X-Studio-SDK"] = "unity";
        if (body != null)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(body);
            request.ContentType = "application/json";
            request.ContentLength = bytes.Length;
            using (var stream = request.GetRequestStream()) stream.Write(bytes, 0, bytes.Length);
        }
        using (var response = GetResponse(request))
        using (var reader = new StreamReader(response.GetResponseStream(), Encoding.UTF8))
        {
            string text = reader.ReadToEnd();
            Console.WriteLine(name + "\t" + (int)response.StatusCode + "\t" + text);
            return text;
        }
    }

    /// <summary>Returns the response also for a status of 400 or more, for which the framework throws.</summary>
    static HttpWebResponse GetResponse(HttpWebRequest request)
    {
        try
        {
            return (HttpWebResponse)request.GetResponse();
        }
        catch (WebException error)
        {
            if (error.Response == null) throw;
            return (HttpWebResponse)error.Response;
        }
    }

    /// <summary>Reads a text field of a JSON object.</summary>
    static string Field(string json, string name)
    {
        return Regex.Match(json, "\"" + name + "\":\"([^\"]*)\"").Groups[1].Value;
    }
}
