#pragma once

namespace muster::access {

// What configuration channels hold is for those who may look at the whole cluster. Whoever has the
// right in some zones only reaches it through a system there, and only if somebody of the whole
// cluster brought the two together: else whoever chooses a system's labels, or what it tells of
// itself, would choose what it shows.

// Where somebody may look at systems.
enum class extent { cluster, zones };

// How a system came to a channel.
enum class subscription_source {
    itself,           // it was given the channel
    group_label,      // it has the label of a group that has the channel
    group_expression  // a group's expression means it
};

// Whether somebody reaches, reads or has written, what the channel holds through the system.
bool reaches(extent caller_extent, subscription_source source);

// Whether somebody puts a system into a group by its label: that is as good as giving it the
// group's channels.
enum class group_content { none, channels };
bool may_label(extent caller_extent, group_content content);

}  // namespace muster::access
