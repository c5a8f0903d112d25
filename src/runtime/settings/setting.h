#pragma once

#include "base/result.h"
#include "base/time.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster::runtime {

enum class setting_kind {
    text,
    path,
    address,  // HOST:PORT or [IPv6]:PORT
    engine,   // an engine URL (runtime/engine_url.h) whose scheme is one of `choices`
    integer,
    boolean,      // true or false
    duration,     // runtime/settings/units.h
    size,         // runtime/settings/units.h
    choice,       // one of `choices`
    choices,      // some of `choices`, separated by commas
    secret_file,  // the path of a file only its owner can read; the secret itself is never a
                  // setting
};

enum class takes_effect { at_restart, at_reload };

// The declaration of a setting. Flags, environment variables, file keys, help, sample file and
// documentation are generated from it.
struct setting {
    std::string_view name;  // "log.level"; flag --log-level, environment MUSTER_LOG_LEVEL
    setting_kind kind = setting_kind::text;
    std::string_view default_value = {};  // as written in a file; empty: not set
    std::string_view minimum = {};        // bounds of integer, duration and size, as in a file
    std::string_view maximum = {};
    std::string_view choices = {};  // separated by '|'
    takes_effect effect = takes_effect::at_restart;
    std::string_view description = {};  // one sentence
    std::string_view example = {};
};

using catalogue = std::span<const setting>;
using setting_value = std::variant<
    std::string,
    std::int64_t,  // integers and sizes
    bool,
    monotonic::duration,
    std::vector<std::string>>;

std::string flag_of(const setting& setting);         // "--log-level"
std::string environment_of(const setting& setting);  // "MUSTER_LOG_LEVEL"
std::vector<std::string> names_of(catalogue catalogue);
const setting* find_setting(catalogue catalogue, std::string_view name);
std::vector<std::string> choices_of(const setting& setting);

// "duration, 1s to 1h": the valid values, for help and documentation.
std::string describe_expected_value(const setting& setting);

// Checks the text against kind and bounds. The error says what is wrong and what is expected.
result<setting_value> parse_setting(const setting& setting, std::string_view text);

}  // namespace muster::runtime
