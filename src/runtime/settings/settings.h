#pragma once

#include "runtime/settings/setting.h"
#include "runtime/settings/source.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::runtime {

// The checked values of all settings of a catalogue. Asserts when a name or type is not in the
// catalogue.
class settings {
public:
    // Whether the setting is set or has a default.
    bool has(std::string_view name) const;

    const std::string& text(std::string_view name) const;
    std::filesystem::path path(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    std::size_t count(std::string_view name) const;  // an integer or size that is never negative
    bool boolean(std::string_view name) const;
    monotonic::duration duration(std::string_view name) const;
    const std::vector<std::string>& list(std::string_view name) const;
    std::optional<std::string> optional_text(std::string_view name) const;

    // "muster.yaml:12", "--log-level" or "default".
    const std::string& origin(std::string_view name) const;

private:
    friend struct resolution;
    friend struct resolution resolve(catalogue, const std::vector<settings_source>&);

    struct current_value {
        setting_value value;
        std::string origin;
    };
    const current_value& at(std::string_view name) const;

    std::map<std::string, current_value, std::less<>> values_;
};

struct resolution {
    settings values;
    // If there are problems, use `values` only to report them: wrong settings have their default.
    std::vector<std::string> problems;
};

// The first source that has a setting wins, then the default. All problems of all sources are
// reported, also in values that another source overrides.
resolution resolve(catalogue catalogue, const std::vector<settings_source>& sources);

// The content of a secret file without its final newline. Refused when others than owner and group
// can read it.
result<std::string> read_secret(const std::filesystem::path& file);

}  // namespace muster::runtime
