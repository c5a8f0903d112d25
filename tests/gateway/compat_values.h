#pragma once

// Values of calls by hand, and how members stand in answers.
#include "tests/gateway/compat_site.h"

#include <string>
#include <utility>
#include <vector>

namespace muster::compat::test {

inline std::string named(const std::string& member, const std::string& value) {
    return "<name>" + member + "</name><value><string>" + value + "</string>";
}
inline std::string counted(const std::string& member, std::int64_t value) {
    return "<name>" + member + "</name><value><i4>" + std::to_string(value) + "</i4>";
}
inline std::string flagged(const std::string& member, bool value) {
    return "<name>" + member + "</name><value>" + flag(value);
}
inline std::string fault_code(int code) {
    return "<name>faultCode</name><value><i4>" + std::to_string(code) + "</i4>";
}
inline std::string texts(const std::vector<std::string>& all) {
    std::string made = "<array><data>";
    for (const auto& each : all) made += "<value>" + text(each) + "</value>";
    return made + "</data></array>";
}
using members = std::vector<std::pair<std::string, std::string>>;
inline std::string structure(const members& all) {
    std::string made = "<struct>";
    for (const auto& [name, value] : all)
        made += "<member><name>" + name + "</name><value>" + value + "</value></member>";
    return made + "</struct>";
}
inline constexpr const char* done = "<i4>1</i4>";

}  // namespace muster::compat::test
