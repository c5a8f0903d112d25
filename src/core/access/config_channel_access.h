#pragma once

namespace muster::access {

// The content of configuration channels is visible to users with the right in the whole cluster. A
// user with the right in some zones sees it only through a system there, and only if a user with
// the cluster-wide right assigned the channel. Otherwise a user who sets the labels or facts of a
// system could choose which content the system shows.

// Where a user may read systems.
enum class extent { cluster, zones };

// How a system is subscribed to a channel.
enum class subscription_source {
    itself,           // the channel is assigned to the system
    group_label,      // it has the label of a group that has the channel
    group_expression  // the expression of a group matches the system
};

// True if the user may read and deploy the content of the channel through the system.
bool reaches(extent caller_extent, subscription_source source);

// True if the user may add a system to a group by its label, which also assigns the channels of the
// group.
enum class group_content { none, channels };
bool may_label(extent caller_extent, group_content content);

}  // namespace muster::access
