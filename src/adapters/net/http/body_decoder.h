#pragma once

#include "adapters/net/http/body_framing.h"
#include "adapters/net/http/http_error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::net::http {

// Extracts a message body from received bytes. Pure: the caller feeds the bytes.
class body_decoder {
public:
    explicit body_decoder(body_framing framing);

    // Appends decoded bytes to `out`. Returns how many bytes of `received` belong to the body; 0
    // after its end.
    parsed<std::size_t> feed(std::string_view received, std::string& out);

    bool at_end() const { return state_ == state::end; }
    // The peer closed the connection: an error unless that ends the body.
    parsed<void> end_of_connection();

private:
    enum class state {
        sized,        // `remaining_` bytes of body
        until_close,  // everything
        chunk_line,   // "1a;extension CRLF"
        chunk_data,   // `remaining_` bytes of body
        chunk_end,    // CRLF
        trailers,     // lines until an empty one; read and dropped
        end,
    };

    std::size_t read_data(std::string_view received, std::string& out);
    parsed<std::size_t> read_line(std::string_view received);
    parsed<void> finish_line();

    state state_ = state::end;
    std::uint64_t remaining_ = 0;
    std::string line_;  // current framing line, as far as received
    std::size_t trailer_bytes_ = 0;
};

}  // namespace muster::net::http
