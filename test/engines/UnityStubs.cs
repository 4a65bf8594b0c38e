// The parts of Unity that the C# client uses, so that the compiler checks the code around them.
using System.Collections;

namespace UnityEngine
{
    public class Object { public static void DontDestroyOnLoad(Object target) { } }
    public class YieldInstruction { }
    public class AsyncOperation : YieldInstruction { }
    public class Coroutine : YieldInstruction { }
    public class Component : Object { }
    public class MonoBehaviour : Component { public Coroutine StartCoroutine(IEnumerator routine) { return null; } }
    public class GameObject : Object
    {
        public static Component Added;
        public GameObject(string name) { }
        public T AddComponent<T>() where T : Component, new()
        {
            var component = new T();
            Added = component;
            return component;
        }
    }
    public enum RuntimePlatform { WindowsPlayer }
    public static class Application
    {
        public static string persistentDataPath { get { return ""; } }
        public static string version { get { return ""; } }
        public static RuntimePlatform platform { get { return RuntimePlatform.WindowsPlayer; } }
    }
    public static class Debug
    {
        public static void Log(object message) { }
        public static void LogWarning(object message) { }
    }
    public static class Random { }
    public static class Time { public static float unscaledDeltaTime { get { return 0.02f; } } }
}

namespace UnityEngine.Profiling
{
    public static class Profiler { public static long GetTotalAllocatedMemoryLong() { return 64 << 20; } }
}

namespace UnityEngine.Networking
{
    public class UploadHandler { }
    public class UploadHandlerRaw : UploadHandler { public UploadHandlerRaw(byte[] data) { } }
    public class DownloadHandler { public string text { get { return ""; } } }
    public class DownloadHandlerBuffer : DownloadHandler { }
    public class UnityWebRequestAsyncOperation : AsyncOperation { }
    public class UnityWebRequest : System.IDisposable
    {
        public UnityWebRequest(string url, string method) { }
        public UploadHandler uploadHandler { get; set; }
        public DownloadHandler downloadHandler { get; set; }
        public int timeout { get; set; }
        public int redirectLimit { get; set; }
        public long responseCode { get { return 0; } }
        public ulong downloadedBytes { get { return 0; } }
        public string error { get { return null; } }
        public void SetRequestHeader(string name, string value) { }
        public string GetResponseHeader(string name) { return null; }
        public void Abort() { }
        public UnityWebRequestAsyncOperation SendWebRequest() { return null; }
        public void Dispose() { }
    }
}
