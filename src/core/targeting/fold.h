#pragma once

#include <string>
#include <string_view>

namespace muster::targeting {

// The letters A to Z as a to z; all else as it is. What facts are compared by.
constexpr char fold(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

inline std::string folded(std::string_view text) {
    std::string result(text);
    for (char& each : result) each = fold(each);
    return result;
}

}  // namespace muster::targeting
