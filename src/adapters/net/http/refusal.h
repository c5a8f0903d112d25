#pragma once

#include <expected>
#include <string>
#include <utility>

namespace muster::net::http {

// Why a message is not accepted: the status to answer with and a sentence for the sender.
struct refusal {
    unsigned status = 400;
    std::string detail;
};

template <class T>
using parsed = std::expected<T, refusal>;

inline std::unexpected<refusal> refuse(unsigned status, std::string detail) {
    return std::unexpected(refusal{status, std::move(detail)});
}

}  // namespace muster::net::http
