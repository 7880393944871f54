/** Fields of forms that are checked before anything is stored. */
@NullMarked
package dev.howdah.console.internal.form;

import org.jspecify.annotations.NullMarked;
