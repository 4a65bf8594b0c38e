// Starts the Unity parts of the C# client with the stand-ins for Unity.
using System;
using System.Reflection;

static class UnityParts
{
    static void Main()
    {
        Playtest.Init(null);
        Console.WriteLine("stopped: " + Playtest.Client.Stopped);
        Playtest.Reset();
        Playtest.Init(new PlaytestOptions { BaseUrl = "nowhere", Key = "pt_ik_x", Log = (level, message) => Console.WriteLine(level + ": " + message) });
        var update = typeof(PlaytestBehaviour).GetMethod("Update", BindingFlags.Instance | BindingFlags.NonPublic);
        update.Invoke(UnityEngine.GameObject.Added, null);
    }
}
