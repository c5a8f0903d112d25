#pragma once

#include "base/assert.h"

#include <compare>
#include <string>
#include <utility>

namespace muster {

// An identifier as a type of its own, so that two kinds of ids cannot be mixed up. Never empty.
template <class Tag>
class id {
public:
    explicit id(std::string text) : text_(std::move(text)) { MUSTER_ASSERT(!text_.empty()); }

    const std::string& str() const { return text_; }

    friend bool operator==(const id&, const id&) = default;
    friend std::strong_ordering operator<=>(const id&, const id&) = default;

private:
    std::string text_;
};

}  // namespace muster
