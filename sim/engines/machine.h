#pragma once

#include "base/result.h"
#include "base/time.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::sim {

// What a simulated engine does, apart from staying alive: a deterministic machine over a model of
// core/, spoken to in bytes (codec.h). engine.h gives it a journal, a network and callers.
//
// The same logged requests, applied in the same order at the same instants, give the same state.
class machine {
public:
    machine() = default;
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;
    virtual ~machine() = default;

    // Whether the request changes what must survive a crash.
    virtual bool is_logged(std::string_view request) const = 0;
    // False: the request waits for something that is not there yet.
    virtual bool is_ready(std::string_view request) const = 0;
    virtual std::string apply(std::string_view request, instant now) = 0;

    // Does what time asks for. Returns the requests that would do the same, for the journal.
    virtual std::vector<std::string> expire(instant now) = 0;
    virtual std::optional<instant> next_deadline() const = 0;

    // The whole state as bytes; nothing when this machine cannot tell, and is replayed in full.
    // From here on it behaves as one that was restored from them.
    virtual std::optional<std::string> snapshot(instant now) = 0;
    virtual result<void> restore(std::string_view snapshot, instant now) = 0;
    // All logged requests were applied again; service goes on now.
    virtual void recovered(instant now) = 0;

    // A request refused before it was tried gets this for an answer.
    virtual std::string refusal(const error& why) const = 0;
};

}  // namespace muster::sim
