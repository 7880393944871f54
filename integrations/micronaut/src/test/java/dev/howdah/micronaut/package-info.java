/** Tests of the module, in applications as their authors write them. */
@NullMarked
package dev.howdah.micronaut;

import org.jspecify.annotations.NullMarked;
