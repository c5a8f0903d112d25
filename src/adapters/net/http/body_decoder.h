#pragma once

#include "adapters/net/http/body_framing.h"
#include "adapters/net/http/refusal.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::net::http {

// Takes a body out of the bytes of a connection, as they come. Pure: feed it what was received.
class body_decoder {
public:
    explicit body_decoder(body_framing framing);

    // Appends the decoded bytes to `out`. Returns how much of `received` belongs to the body;
    // after the end of the body that is nothing.
    parsed<std::size_t> feed(std::string_view received, std::string& out);

    bool at_end() const { return state_ == state::end; }
    // The connection was closed by the peer: fine only where that is how the body ends.
    parsed<void> connection_ended();

private:
    enum class state {
        sized,        // `left_` bytes of body
        until_close,  // everything
        chunk_line,   // "1a;extension CRLF"
        chunk_data,   // `left_` bytes of body
        chunk_end,    // CRLF
        trailers,     // lines until an empty one; read and dropped
        end,
    };

    std::size_t take_data(std::string_view received, std::string& out);
    parsed<std::size_t> take_line(std::string_view received);
    parsed<void> finish_line();

    state state_ = state::end;
    std::uint64_t left_ = 0;
    std::string line_;  // of framing, as far as received
    std::size_t trailer_bytes_ = 0;
};

}  // namespace muster::net::http
