#pragma once

#include "ports/async.h"
#include "ports/clock.h"

#include <filesystem>
#include <string>
#include <utility>

namespace muster::windows {

// Interface: fetches the text of a calendar by its URL.
class calendar_source {
public:
    calendar_source() = default;
    calendar_source(const calendar_source&) = delete;
    calendar_source& operator=(const calendar_source&) = delete;
    virtual ~calendar_source() = default;

    // Implementations bound the time of a fetch.
    virtual async<std::string> fetch(std::string url) const = 0;
};

// Fetches over https: at most 1 MiB, within 30 seconds, without following redirects. Thread-safe.
// errc::invalid for an unusable URL. errc::conflict when the foreign server does not return a text:
// a retry may not help.
class https_calendar_source final : public calendar_source {
public:
    // `authorities`: PEM file of the trusted CA certificates.
    https_calendar_source(muster::clock& clock, std::filesystem::path authorities)
        : clock_(clock), authorities_(std::move(authorities)) {}

    async<std::string> fetch(std::string url) const override;

private:
    muster::clock& clock_;
    std::filesystem::path authorities_;
};

}  // namespace muster::windows
