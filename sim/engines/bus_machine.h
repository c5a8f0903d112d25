#pragma once

#include "core/stream/log.h"
#include "sim/engines/codec.h"
#include "sim/engines/machine.h"
#include "sim/world.h"

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
    stream::message what;
};
struct bus_open_consumer {
    stream::consumer_options what;
};
struct bus_forget_consumer {
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
struct bus_listen {  // checks the pattern; answers with the sequence to listen after
    std::string pattern;
};
struct bus_hear {
    std::string pattern;
    std::uint64_t after = 0;
};
struct bus_ping {};
using bus_request = std::variant<
    bus_publish,
    bus_open_consumer,
    bus_forget_consumer,
    bus_fetch,
    bus_acknowledge,
    bus_close_reader,
    bus_listen,
    bus_hear,
    bus_ping>;

struct heard {
    std::vector<stream::message> messages;
    std::uint64_t up_to = 0;
};

void fields(auto& archive, is<stream::message> auto& what) {
    archive(what.subject, what.payload, what.id);
}
void fields(auto& archive, is<stream::delivery> auto& what) {
    archive(what.what, what.sequence, what.attempt);
}
void fields(auto& archive, is<stream::consumer_options> auto& what) {
    archive(what.name, what.pattern, what.ack_wait);
}
void fields(auto& archive, is<bus_publish> auto& what) {
    archive(what.what);
}
void fields(auto& archive, is<bus_open_consumer> auto& what) {
    archive(what.what);
}
void fields(auto& archive, is<bus_forget_consumer> auto& what) {
    archive(what.name);
}
void fields(auto& archive, is<bus_fetch> auto& what) {
    archive(what.name, what.reader, what.messages_max);
}
void fields(auto& archive, is<bus_acknowledge> auto& what) {
    archive(what.name, what.reader, what.sequences);
}
void fields(auto& archive, is<bus_close_reader> auto& what) {
    archive(what.name, what.reader);
}
void fields(auto& archive, is<bus_listen> auto& what) {
    archive(what.pattern);
}
void fields(auto& archive, is<bus_hear> auto& what) {
    archive(what.pattern, what.after);
}
void fields(auto& archive, is<bus_ping> auto& /*what*/) {
    archive();
}
void fields(auto& archive, is<heard> auto& what) {
    archive(what.messages, what.up_to);
}
void fields(auto& archive, is<stream::stored_message> auto& what) {
    archive(what.what, what.sequence, what.at);
}
void fields(auto& archive, is<stream::pending_message> auto& what) {
    archive(what.sequence, what.attempts);
}
void fields(auto& archive, is<stream::recent_ids::entry> auto& what) {
    archive(what.id, what.sequence, what.at);
}
void fields(auto& archive, is<stream::log_snapshot::consumer_state> auto& what) {
    archive(what.options, what.owed, what.reader);
}
void fields(auto& archive, is<stream::log_snapshot> auto& what) {
    archive(what.taken_at, what.sequence_last, what.messages, what.ids, what.consumers);
}

// The bus as a simulated engine runs it.
class bus_machine final : public machine {
public:
    // Messages kept for live subscriptions; one that is further behind loses the oldest.
    static constexpr std::size_t recent_max = 4096;

    bus_machine(world& where, stream::log_limits limits)
        : where_(where), limits_(limits), log_(limits) {}

    bool is_logged(std::string_view request) const override;
    bool is_ready(std::string_view request) const override;
    std::string apply(std::string_view request, instant now) override;
    std::vector<std::string> expire(instant now) override;
    std::optional<instant> next_deadline() const override { return log_.next_deadline(); }
    std::optional<std::string> snapshot(instant now) override;
    result<void> restore(std::string_view snapshot, instant now) override;
    void recovered(instant now) override;
    std::string refusal(const error& why) const override;

private:
    std::string answer(const bus_publish& bus_publish, instant now);
    std::string answer(const bus_open_consumer& bus_open_consumer, instant now);
    std::string answer(const bus_forget_consumer& bus_forget_consumer, instant now);
    std::string answer(const bus_fetch& bus_fetch, instant now);
    std::string answer(const bus_acknowledge& bus_acknowledge, instant now);
    std::string answer(const bus_close_reader& bus_close_reader, instant now);
    std::string answer(const bus_listen& bus_listen, instant now);
    std::string answer(const bus_hear& bus_hear, instant now);
    std::string answer(const bus_ping& bus_ping, instant now);

    std::vector<stream::message> heard_after(const bus_hear& bus_hear) const;
    result<void> restart_from(stream::log_snapshot state, instant now);
    void stir_all();

    world& where_;
    stream::log_limits limits_;
    stream::log log_;
    std::deque<stream::delivery> recent_;
    // Consumers for which a fetch may find something; what decides it is inside the model.
    std::set<std::string> stirred_;
};

}  // namespace muster::sim
