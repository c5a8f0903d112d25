#pragma once

#include "runtime/log_line.h"
#include "runtime/settings/setting.h"
#include "runtime/settings/settings.h"

namespace muster::runtime {

// The settings of logging, the same in every program of ours.
constexpr setting log_level_setting(takes_effect effect) {
    return {
        .name = "log.level",
        .kind = setting_kind::choice,
        .fallback = "info",
        .choices = "debug|info|warning|error",
        .effect = effect,
        .sentence = "How much is logged.",
        .example = "debug"};
}

constexpr setting log_format_setting() {
    return {
        .name = "log.format",
        .kind = setting_kind::choice,
        .fallback = "auto",
        .choices = "auto|text|json",
        .sentence = "How log lines look; auto is text on a terminal and JSON otherwise.",
        .example = "json"};
}

struct log_choice {
    log_level level = log_level::info;
    log_format format = log_format::text;
};

// What they say; the catalogue must have both.
log_choice log_choice_in(const settings& settings);

}  // namespace muster::runtime
