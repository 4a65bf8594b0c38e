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
    public struct Vector2 { public float x, y; public Vector2(float x, float y) { this.x = x; this.y = y; } }
    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
        public static implicit operator Vector2(Vector3 from) { return new Vector2(from.x, from.y); }
        public static implicit operator Vector3(Vector2 from) { return new Vector3(from.x, from.y, 0); }
    }
    public struct Vector2Int { public int x, y; public Vector2Int(int x, int y) { this.x = x; this.y = y; } }
    public struct Vector3Int { public int x, y, z; public Vector3Int(int x, int y, int z) { this.x = x; this.y = y; this.z = z; } }
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
