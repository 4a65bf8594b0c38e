// Starts the Unity parts of the C# client with the stand-ins for Unity.
using System;
using System.IO;
using System.Reflection;
using UnityEngine;

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
        Playtest.Reset();
        Playtest.Init(new PlaytestOptions { BaseUrl = "http://127.0.0.1:9", Key = "pt_ik_x", Folder = "queue", Log = (level, message) => { } });
        Playtest.Start();
        Playtest.Track("moved", "from", new Vector2(1, 2.5f), "to", new Vector3(1, -2, 3));
        Playtest.Track("built", "on", new Vector2Int(4, 5), "at", new Vector3Int(4, 5, 6));
        Playtest.Position(new Vector3(7, 8, 9), "dock", "ann");
        Playtest.Position(new Vector2(7, 8), "pier");
        for (var frame = 0; frame < 3; frame++) update.Invoke(UnityEngine.GameObject.Added, null);
        Playtest.Client.Close(10000);
        foreach (var file in Directory.GetFiles("queue", "*.events"))
            foreach (var line in File.ReadAllLines(file)) Console.WriteLine(line);
    }
}
