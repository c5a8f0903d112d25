#pragma once

#include <string>
#include <string_view>

namespace muster::targeting {

// The letters A to Z as a to z; all else as it is. What facts are compared by.
constexpr char fold(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

inline std::string folded(std::string_view text) {
    std::string made(text);
    for (char& each : made) each = fold(each);
    return made;
}

}  // namespace muster::targeting
