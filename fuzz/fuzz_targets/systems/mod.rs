//! Systems with every key that there is.
#![allow(dead_code, reason = "no target needs both forms")]

pub const TOML: &str = r#"cores = 2
[costs]
dispatch = "300 ns"
hand_over = "200 ns"
wake_up = "60 µs"
timer_lateness = "2 µs"
spin = "20 µs"
earliness = "5 µs"
preemption = "40 µs"
[[executor]]
name = "front"
core = 0
priority = 60
[[executor]]
name = "back"
priority = 30
order = "registration"
[[chain]]
name = "brake"
period = "80 ms"
offset = "5 ms"
deadline = "50 ms"
callbacks = [
    { name = "radar", takes = "2 ms", executor = "front", priority = 1 },
    { name = "detect", takes = "9 ms .. 16 ms", executor = "front", priority = 2 },
]
[[chain]]
name = "tell"
period = "40 ms"
begins = "wake_up"
deadline = "none"
callbacks = [
    { name = "hear", takes = "1 ms", executor = "front", priority = 3 },
    { name = "speak", takes = "3 ms", executor = "back", priority = 1 },
]
[[cycle]]
name = "motion"
begins = { every = "12 ms", offset = "1 ms" }
workers = 2
cores = [0, 1]
priority = 80
tasks = [
    { name = "imu", takes = "1 ms", priority = 3 },
    { name = "walk", takes = "2 ms .. 3 ms", after = ["imu"], priority = 2, kept = true },
    { name = "kick", takes = "2 ms", after = ["imu"], priority = 1 },
]
[[cycle]]
name = "alarm"
begins = { after = "brake" }
deadline = "100 ms"
priority = 40
tasks = [{ name = "beep", takes = "100 µs" }]
[[path]]
name = "seen to braked"
through = ["brake", "motion"]
deadline = "150 ms"
[[path]]
name = "read to told"
through = ["motion", "tell"]
from = "sample"
"#;

pub const JSON: &str = r#"{"cores":2,"costs":{"dispatch":"300 ns","wake_up":"60 us","preemption":"40 us"},
"executor":[{"name":"front","core":0,"priority":60},{"name":"back","priority":30,"order":"registration"}],
"chain":[{"name":"brake","period":"80 ms","offset":"5 ms","deadline":"50 ms","callbacks":[
{"name":"radar","takes":"2 ms","executor":"front","priority":1},{"name":"detect","takes":"9 ms .. 16 ms","executor":"front","priority":2}]},
{"name":"tell","period":"40 ms","begins":"wake_up","deadline":"none","callbacks":[
{"name":"hear","takes":"1 ms","executor":"front","priority":3},{"name":"speak","takes":"3 ms","executor":"back","priority":1}]}],
"cycle":[{"name":"motion","begins":{"every":"12 ms"},"workers":2,"priority":80,"tasks":[
{"name":"imu","takes":"1 ms"},{"name":"walk","takes":"2 ms .. 3 ms","after":["imu"],"kept":true},{"name":"kick","takes":"2 ms","after":["imu"]}]},
{"name":"alarm","begins":{"after":"brake"},"deadline":"100 ms","priority":40,"tasks":[{"name":"beep","takes":"100 us"}]}],
"path":[{"name":"seen to braked","through":["brake","motion"],"deadline":"150 ms"},{"name":"read to told","through":["motion","tell"],"from":"sample"}]}"#;
