#pragma once

#include "core/stream/message_log.h"
#include "sim/engines/codec.h"
#include "sim/engines/machine.h"
#include "sim/simulation.h"

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace muster::sim {

// What a client of the bus can ask for.
struct bus_publish {
    stream::message message;
};
struct bus_open_consumer {
    stream::consumer_options options;
};
struct bus_delete_consumer {
    std::string name;
};
struct bus_fetch {
    std::string name;
    stream::reader_number reader;
    std::size_t messages_max = 1;
};
struct bus_acknowledge {
    std::string name;
    stream::reader_number reader;
    std::vector<std::uint64_t> sequences;
};
struct bus_close_reader {
    std::string name;
    stream::reader_number reader;
};
struct bus_subscribe {  // checks the pattern; answers with the sequence to listen after
    std::string pattern;
};
struct bus_poll {
    std::string pattern;
    std::uint64_t after = 0;
};
struct bus_ping {};
using bus_request = std::variant<
    bus_publish,
    bus_open_consumer,
    bus_delete_consumer,
    bus_fetch,
    bus_acknowledge,
    bus_close_reader,
    bus_subscribe,
    bus_poll,
    bus_ping>;

struct message_batch {
    std::vector<stream::message> messages;
    std::uint64_t up_to = 0;
};

void fields(auto& archive, is<stream::message> auto& value) {
    archive(value.subject, value.payload, value.id);
}
void fields(auto& archive, is<stream::delivery> auto& value) {
    archive(value.message, value.sequence, value.attempt);
}
void fields(auto& archive, is<stream::consumer_options> auto& value) {
    archive(value.name, value.pattern, value.ack_wait);
}
void fields(auto& archive, is<bus_publish> auto& value) {
    archive(value.message);
}
void fields(auto& archive, is<bus_open_consumer> auto& value) {
    archive(value.options);
}
void fields(auto& archive, is<bus_delete_consumer> auto& value) {
    archive(value.name);
}
void fields(auto& archive, is<bus_fetch> auto& value) {
    archive(value.name, value.reader, value.messages_max);
}
void fields(auto& archive, is<bus_acknowledge> auto& value) {
    archive(value.name, value.reader, value.sequences);
}
void fields(auto& archive, is<bus_close_reader> auto& value) {
    archive(value.name, value.reader);
}
void fields(auto& archive, is<bus_subscribe> auto& value) {
    archive(value.pattern);
}
void fields(auto& archive, is<bus_poll> auto& value) {
    archive(value.pattern, value.after);
}
void fields(auto& archive, is<bus_ping> auto& /*value*/) {
    archive();
}
void fields(auto& archive, is<message_batch> auto& value) {
    archive(value.messages, value.up_to);
}
void fields(auto& archive, is<stream::stored_message> auto& value) {
    archive(value.message, value.sequence, value.at);
}
void fields(auto& archive, is<stream::pending_message> auto& value) {
    archive(value.sequence, value.attempts);
}
void fields(auto& archive, is<stream::recent_ids::entry> auto& value) {
    archive(value.id, value.sequence, value.at);
}
void fields(auto& archive, is<stream::message_log_snapshot::consumer_state> auto& value) {
    archive(value.options, value.pending, value.reader);
}
void fields(auto& archive, is<stream::message_log_snapshot> auto& value) {
    archive(value.taken_at, value.sequence_last, value.messages, value.ids, value.consumers);
}

// The bus as a simulated engine runs it.
class bus_machine final : public machine {
public:
    // Messages kept for live subscriptions; one that is further behind loses the oldest.
    static constexpr std::size_t recent_max = 4096;

    bus_machine(sim::simulation& simulation, stream::message_log_limits limits)
        : simulation_(simulation), limits_(limits), log_(limits) {}

    bool is_logged(std::string_view request) const override;
    bool is_ready(std::string_view request) const override;
    std::string apply(std::string_view request, instant now) override;
    std::vector<std::string> expire(instant now) override;
    std::optional<instant> next_deadline() const override { return log_.next_deadline(); }
    std::optional<std::string> snapshot(instant now) override;
    result<void> restore(std::string_view snapshot, instant now) override;
    void recovered(instant now) override;
    std::string refusal(const error& reason) const override;

private:
    std::string execute(const bus_publish& bus_publish, instant now);
    std::string execute(const bus_open_consumer& bus_open_consumer, instant now);
    std::string execute(const bus_delete_consumer& bus_delete_consumer, instant now);
    std::string execute(const bus_fetch& bus_fetch, instant now);
    std::string execute(const bus_acknowledge& bus_acknowledge, instant now);
    std::string execute(const bus_close_reader& bus_close_reader, instant now);
    std::string execute(const bus_subscribe& bus_subscribe, instant now);
    std::string execute(const bus_poll& bus_poll, instant now);
    std::string execute(const bus_ping& bus_ping, instant now);

    std::vector<stream::message> messages_after(const bus_poll& bus_poll) const;
    result<void> restart_from(stream::message_log_snapshot state, instant now);
    void mark_all_ready();

    sim::simulation& simulation_;
    stream::message_log_limits limits_;
    stream::message_log log_;
    std::deque<stream::delivery> recent_;
    // Consumers for which a fetch may find something; what decides it is inside the model.
    std::set<std::string> ready_consumers_;
};

}  // namespace muster::sim
