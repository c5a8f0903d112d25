#pragma once

#include "runtime/log_line.h"
#include "runtime/settings/setting.h"
#include "runtime/settings/settings.h"

namespace muster::runtime {

// The log settings, the same in every program.
constexpr setting log_level_setting(takes_effect effect) {
    return {
        .name = "log.level",
        .kind = setting_kind::choice,
        .default_value = "info",
        .choices = "debug|info|warning|error",
        .effect = effect,
        .description = "Minimum level of logged messages.",
        .example = "debug"};
}

constexpr setting log_format_setting() {
    return {
        .name = "log.format",
        .kind = setting_kind::choice,
        .default_value = "auto",
        .choices = "auto|text|json",
        .description = "Format of log lines; auto: text on a terminal, JSON otherwise.",
        .example = "json"};
}

struct log_options {
    log_level level = log_level::info;
    log_format format = log_format::text;
};

// Reads both settings; the catalogue must have them.
log_options read_log_options(const settings& settings);

}  // namespace muster::runtime
