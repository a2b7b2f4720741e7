//! Logs of PX4, made for a test.
#![allow(dead_code, reason = "not every test needs all of it")]

/// A log that is being written, record after record.
pub struct UlogWriter(pub Vec<u8>);

impl Default for UlogWriter {
    fn default() -> Self {
        Self([b"ULog\x01\x12\x35\x01", &1_000_000_u64.to_le_bytes()[..]].concat())
    }
}

impl UlogWriter {
    pub fn record(&mut self, kind: u8, body: &[&[u8]]) {
        let body = body.concat();
        self.0.extend((body.len() as u16).to_le_bytes());
        self.0.push(kind);
        self.0.extend(body);
    }

    pub fn flags(&mut self, incompatible: u8, appended: u64) {
        self.record(b'B', &[&[0; 8], &[incompatible], &[0; 7], &appended.to_le_bytes(), &[0; 16]]);
    }

    pub fn keyed(&mut self, kind: u8, before: &[u8], key: &str, value: &[u8]) {
        self.record(kind, &[before, &[key.len() as u8], key.as_bytes(), value]);
    }

    pub fn subscribe(&mut self, instance: u8, number: u16, name: &str) {
        self.record(b'A', &[&[instance], &number.to_le_bytes(), name.as_bytes()]);
    }

    pub fn data(&mut self, number: u16, microseconds: u64, rest: &[&[u8]]) {
        let rest = rest.concat();
        self.record(b'D', &[&number.to_le_bytes(), &microseconds.to_le_bytes(), &rest]);
    }

    pub fn sync(&mut self) {
        self.record(b'S', &[&[0x2f, 0x73, 0x13, 0x20, 0x25, 0x0c, 0xbb, 0x12]]);
    }
}

/// Makes a log with every kind of record.
pub fn whole() -> Vec<u8> {
    let mut log = UlogWriter::default();
    log.flags(0, 0);
    log.record(b'F', &[b"esc:uint16_t rpm;uint8_t[2] _padding0;float current;"]);
    log.record(
        b'F',
        &[b"motors:uint64_t timestamp;esc[2] esc;int8_t offset;bool on;char[4] name;char unit;double[2] q;uint8_t[4] _padding0;"],
    );
    log.record(b'F', &[b"tick:uint64_t timestamp;int32_t count;"]);
    log.keyed(b'I', &[], "char[5] sys_name", b"PX4\0\0");
    log.keyed(b'I', &[], "int32_t time_ref_utc", &(-3_i32).to_le_bytes());
    log.keyed(b'M', &[0], "char[2] perf", b"a\n");
    log.keyed(b'M', &[1], "char[2] perf", b"b\n");
    log.keyed(b'M', &[0], "char[2] perf", b"c\n");
    log.keyed(b'P', &[], "float MPC_XY", &0.1_f32.to_le_bytes());
    log.keyed(b'P', &[], "int32_t SYS_ID", &(-7_i32).to_le_bytes());
    log.keyed(b'Q', &[3], "int32_t SYS_ID", &1_i32.to_le_bytes());
    log.subscribe(0, 0, "motors");
    log.subscribe(0, 1, "tick");
    log.subscribe(1, 2, "tick");
    log.data(1, 1_500_000, &[&(-2_i32).to_le_bytes()]);
    let escs = [
        &7_u16.to_le_bytes()[..],
        &[9, 9],
        &1.5_f32.to_le_bytes(),
        &8_u16.to_le_bytes(),
        &[9, 9],
        &2.5_f32.to_le_bytes(),
    ];
    let tail = [&[0xfe, 1][..], b"ab\0c", b"m", &1.25_f64.to_le_bytes(), &(-0.5_f64).to_le_bytes()];
    log.data(0, 2_000_000, &[&escs.concat(), &tail.concat()]);
    log.record(b'L', &[b"4", &2_100_000_u64.to_le_bytes(), b"low battery"]);
    log.record(b'C', &[b"3", &17_u16.to_le_bytes(), &2_200_000_u64.to_le_bytes(), b"failsafe"]);
    log.record(b'O', &[&40_u16.to_le_bytes()]);
    log.sync();
    log.keyed(b'P', &[], "int32_t SYS_ID", &5_i32.to_le_bytes());
    log.data(2, 3_000_000, &[&4_i32.to_le_bytes()]);
    log.record(b'R', &[&2_u16.to_le_bytes()]);
    log.0
}
