// A topic of bytes over CycloneDDS, reliable and in order. Written in C, so that the layouts of the
// library's types are those of its headers.
#include <dds/dds.h>
#include <dds/version.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// As the compiler of IDL writes `@final struct Packet { sequence<octet> data; };`.
typedef struct {
    dds_sequence_t data;
} Packet;

static const uint32_t OPERATIONS[] = {
    DDS_OP_ADR | DDS_OP_TYPE_SEQ | DDS_OP_SUBTYPE_1BY, offsetof(Packet, data),
    DDS_OP_RTS,
};

static const dds_topic_descriptor_t DESCRIPTOR = {
    .m_size = sizeof(Packet),
    .m_align = _Alignof(Packet),
    .m_typename = "Packet",
    .m_nops = 2,
    .m_ops = OPERATIONS,
    .m_meta = "",
};

static dds_entity_t participant, topic;
static dds_qos_t *reliable;
static void (*receive)(const uint8_t *data, size_t length);

const char *bench_dds_version(void) { return DDS_VERSION; }

// Joins a domain. Negative: the error, as for all that follow.
int32_t bench_dds_join(uint32_t domain, const char *configuration) {
    const dds_entity_t entity = dds_create_domain(domain, configuration);
    if (entity < 0)
        return entity;
    participant = dds_create_participant(domain, NULL, NULL);
    if (participant < 0)
        return participant;
    topic = dds_create_topic(participant, &DESCRIPTOR, "Packet", NULL, NULL);
    reliable = dds_create_qos();
    dds_qset_reliability(reliable, DDS_RELIABILITY_RELIABLE, DDS_INFINITY);
    dds_qset_history(reliable, DDS_HISTORY_KEEP_ALL, 0);
    return topic;
}

int32_t bench_dds_writer(void) { return dds_create_writer(participant, topic, reliable, NULL); }

// Returns to how many readers it writes.
int32_t bench_dds_readers(int32_t writer) {
    dds_publication_matched_status_t status;
    const dds_return_t result = dds_get_publication_matched_status(writer, &status);
    return result < 0 ? result : (int32_t)status.current_count;
}

int32_t bench_dds_write(int32_t writer, uint8_t *data, uint32_t length) {
    const Packet packet = {{._maximum = length, ._length = length, ._buffer = data, ._release = false}};
    return dds_write(writer, &packet);
}

static void take(dds_entity_t reader, void *context) {
    (void)context;
    void *sample = NULL;
    dds_sample_info_t info;
    dds_return_t count;
    // The sample is lent.
    while ((count = dds_take(reader, &sample, &info, 1, 1)) > 0) {
        const Packet *packet = sample;
        if (info.valid_data)
            receive(packet->data._buffer, packet->data._length);
        dds_return_loan(reader, &sample, count);
        sample = NULL;
    }
}

// Calls `callback` with each message, on the thread that reads the socket.
int32_t bench_dds_read(void (*callback)(const uint8_t *data, size_t length)) {
    receive = callback;
    dds_listener_t *listener = dds_create_listener(NULL);
    dds_lset_data_available(listener, take);
    const dds_entity_t reader = dds_create_reader(participant, topic, reliable, listener);
    dds_delete_listener(listener);
    return reader;
}
