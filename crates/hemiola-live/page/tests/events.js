// Records of events as the door sends them, for tests.

/** @param {Partial<{type: number, core: number, worker: number, subject: number, other: number, run: number, number: number, begin: number | bigint, end: number | bigint}>} values */
export function record(values) {
  const begin = values.begin ?? 0;
  return { type: 0, core: 0, worker: 0, subject: 0, other: 0, run: 0, number: 0, ...values, begin, end: values.end ?? begin };
}

/** @param {ReturnType<typeof record>[]} all */
export function records(all) {
  const view = new DataView(new ArrayBuffer(all.length * 32));
  all.forEach((one, place) => {
    const at = place * 32;
    view.setUint8(at, one.type);
    view.setUint8(at + 1, one.core);
    view.setUint16(at + 2, one.worker, true);
    view.setUint16(at + 4, one.subject, true);
    view.setUint16(at + 6, one.other, true);
    view.setUint32(at + 8, one.run, true);
    view.setUint32(at + 12, one.number, true);
    view.setBigInt64(at + 16, BigInt(one.begin), true);
    view.setBigInt64(at + 24, BigInt(one.end), true);
  });
  return view;
}
