#pragma once

#include "ports/async.h"
#include "ports/clock.h"

#include <filesystem>
#include <string>
#include <utility>

namespace muster::windows {

// Where the text of a calendar with an address comes from.
class calendar_source {
public:
    calendar_source() = default;
    calendar_source(const calendar_source&) = delete;
    calendar_source& operator=(const calendar_source&) = delete;
    virtual ~calendar_source() = default;

    // Within a bounded time.
    virtual async<std::string> fetch(std::string url) const = 0;
};

// Fetches over https: at most 1 MiB, within 30 seconds, without following redirects. errc::invalid
// for an address that cannot be asked, errc::conflict, with the reason, when it does not answer
// with a text: somebody else's server, not ours, so waiting may not help.
class https_calendar_source final : public calendar_source {
public:
    // `authorities`: the PEM file of the certificates that servers are trusted by.
    https_calendar_source(muster::clock& clock, std::filesystem::path authorities)
        : clock_(clock), authorities_(std::move(authorities)) {}

    async<std::string> fetch(std::string url) const override;

private:
    muster::clock& clock_;
    std::filesystem::path authorities_;
};

}  // namespace muster::windows
