#pragma once

#include "base/result.h"
#include "base/time.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::sim {

// The logic of a simulated engine without process, journal and network (see engine.h): a
// deterministic machine over a model of core/. Requests and replies are bytes (codec.h).
//
// The same logged requests, applied in the same order at the same times, give the same state.
class machine {
public:
    machine() = default;
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;
    virtual ~machine() = default;

    // Whether the request changes state that must survive a crash.
    virtual bool is_logged(std::string_view request) const = 0;
    // False if the request must wait for something that does not exist yet.
    virtual bool is_ready(std::string_view request) const = 0;
    virtual std::string apply(std::string_view request, instant now) = 0;

    // Executes what is due. Returns the equivalent requests for the journal.
    virtual std::vector<std::string> expire(instant now) = 0;
    virtual std::optional<instant> next_deadline() const = 0;

    // The whole state as bytes; nullopt if this machine is always replayed in full. From here on it
    // behaves like a machine restored from these bytes.
    virtual std::optional<std::string> snapshot(instant now) = 0;
    virtual result<void> restore(std::string_view snapshot, instant now) = 0;
    // Called when all logged requests are applied again, before service resumes.
    virtual void recovered(instant now) = 0;

    // The reply to a request that was refused before execution.
    virtual std::string refusal(const error& reason) const = 0;
};

}  // namespace muster::sim
