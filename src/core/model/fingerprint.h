#pragma once

#include "base/result.h"

#include <array>
#include <compare>
#include <cstddef>
#include <string>
#include <string_view>

namespace muster {

// Identifies a system: SHA-256 over the body of its public key's PEM, as Salt prints it.
class fingerprint {
public:
    static constexpr std::size_t size_bytes = 32;
    using bytes_type = std::array<unsigned char, size_bytes>;

    explicit fingerprint(const bytes_type& bytes) : bytes_(bytes) {}

    // Strict: 32 pairs of hexadecimal digits, with a colon between pairs or with none at all.
    static result<fingerprint> parse(std::string_view text);

    const bytes_type& bytes() const { return bytes_; }
    std::string str() const;  // "ab:cd:…", lower case

    friend bool operator==(const fingerprint&, const fingerprint&) = default;
    friend std::strong_ordering operator<=>(const fingerprint&, const fingerprint&) = default;

private:
    bytes_type bytes_;
};

}  // namespace muster
