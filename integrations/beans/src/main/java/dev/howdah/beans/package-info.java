/** What applications of Quarkus and Micronaut write: methods of beans that handle jobs, and settings of the node that no property has. */
@NullMarked
package dev.howdah.beans;

import org.jspecify.annotations.NullMarked;
