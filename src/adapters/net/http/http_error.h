#pragma once

#include <expected>
#include <string>
#include <utility>

namespace muster::net::http {

// Why a message is refused: the response status and a text for the sender.
struct http_error {
    unsigned status = 400;
    std::string detail;
};

template <class T>
using parsed = std::expected<T, http_error>;

inline std::unexpected<http_error> refuse(unsigned status, std::string detail) {
    return std::unexpected(http_error{status, std::move(detail)});
}

}  // namespace muster::net::http
